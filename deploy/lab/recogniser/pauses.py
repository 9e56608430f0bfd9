"""Pauses within a sentence, spoken by synthetic voices through the whole chain: who is cut off, and how long a reply takes.

Owns the cases and the judgement. Five kinds, each sentence after the wake word:

- *middle*: a sentence with a pause where its words are no command yet ("set the temperature to ... twenty two degrees");
- *goes on*: a complete command, a pause, and words that make another of it ("open the passenger window ... halfway");
- *stays*: the same complete commands, and nothing after them;
- *final*: complete commands that nothing makes another of;
- *free*: free wordings with a pause where they could be over.

Right is what the whole sentence asks for when it is typed, done once, and nothing else that was not taken back. The voices are
flite's and espeak-ng's, on which the built-in recogniser was fitted: this measures the endpointer, not the ears.
Run: ``python -m deploy.lab.recogniser.pauses [--pause 0.7] [--kinds middle ...] [--set KEY=VALUE ...]``.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from deploy.app import assemble
from deploy.assistant import Assistant
from deploy.config import load_config
from deploy.lab.report.statistics import spread
from deploy.timeline import TimelineEntry
from models.acts.spelling import read
from models.commands.matcher import TemplateMatcher
from models.training.voices import FLITE_VOICES, SAMPLE_RATE, Prosody, speak
from schemas.actions import Action, parse_action
from schemas.errors import GloveboxError
from schemas.events import CommandKind, Samples
from voice.audio.wavefile import write

AFTER_WAKE_S = 0.35
"""Between the wake word and the sentence; people leave .2 to .5 s."""

MIDDLE = (
    ("set the temperature to", "twenty two degrees"),
    ("navigate to", "the central station"),
    ("turn on the", "seat heating"),
    ("play some", "classical music"),
    ("set a timer for", "five minutes"),
    ("turn the volume", "down by ten percent"),
    ("find a", "pharmacy near me"),
    ("turn off the", "ambient light"),
    ("close the passenger", "window"),
    ("remind me to", "call the office in twenty minutes"),
)
GOES_ON = (
    ("open the passenger window", "halfway"),
    ("open the sunroof", "a little"),
    ("close all windows", "a bit"),
    ("open the sunshade", "halfway"),
    ("make it warmer", "in the back"),
    ("make it cooler", "on the passenger side"),
    ("set the temperature to twenty", "two degrees"),
    ("set the temperature to twenty degrees", "on the passenger side"),
    ("turn on the seat heating", "for the passenger"),
    ("seat heating high", "for everyone"),
    ("more lumbar support", "for the passenger"),
    ("move my seat back", "a bit"),
    ("switch off my reading light", "behind me"),
    ("volume forty", "five percent"),
    ("turn the volume down", "by twenty percent"),
    ("set a timer for ten minutes", "for the laundry"),
    ("what's the weather in paris", "tomorrow"),
    ("will it rain tomorrow", "in london"),
    ("where is the nearest pharmacy", "on the route"),
    ("start charging", "at midnight"),
)
FINAL = (
    "lock the doors", "next song", "close the trunk", "turn on the headlights", "pause the music", "recirculate the air",
    "turn on the air conditioning", "cancel the route", "mute the sound", "turn off the voice guidance", "turn up the fan",
    "take the second route", "night mode", "what time is it", "turn on the fog lights", "shuffle the songs", "more air please",
    "turn off the heated steering wheel", "stop navigating", "play the radio",
)  # fmt: skip
FREE = (
    (("would you make it a bit warmer", "just on my side"), "change_temperature(change=up,zone=driver)"),
    (("could you let my window down", "about halfway please"), "set_window(window=driver,percent=50)"),
    (("let's have some jazz on", "and turn it up a touch"), "play_music(genre=jazz); change_volume(change=up)"),
    (
        ("warm up the passenger's seat would you", "and mine"),
        "set_seat_heating(level=2,zone=passenger); set_seat_heating(level=2,zone=driver)",
    ),
    (
        ("i'd like the fan down a bit", "and lock the doors"),
        "change_fan_speed(change=down); set_door_locks(locked=true)",
    ),
    (("give me a reminder in twenty minutes", "to ring my sister"), "set_reminder(what=ring my sister,minutes=20)"),
    (("could you put a podcast on", "about history"), "play_podcast(genre=history)"),
    (
        ("take us to the town hall would you", "and keep off the motorway"),
        "navigate_to(destination=town hall); set_route_preference(preference=avoid_highways)",
    ),
    (("the screen is a bit bright for me", "make it darker please"), "change_display_brightness(change=down)"),
    (("let a little air in on the passenger's side", "just a crack"), "change_window(window=passenger,change=open)"),
    (
        ("get the frost off the back window please", "and heat the mirrors"),
        "set_defrost(window=rear,on=true); set_mirror_heating(on=true)",
    ),
    (("i'd like the mood lighting red", "no make it green"), "set_ambient_color(color=green)"),
)
"""Parts, and what the whole asks for. Written before any of them was measured."""


@dataclass(frozen=True)
class Case:
    """A sentence to speak, in parts with a pause between them."""

    kind: str
    parts: tuple[str, ...]
    acts: str = ""
    """What the whole asks for, where no command says it."""

    @property
    def text(self) -> str:
        """The whole sentence."""
        return " ".join(self.parts)


def cases(kinds: tuple[str, ...]) -> list[Case]:
    """The cases of these kinds."""
    made = {
        "middle": [Case("middle", parts) for parts in MIDDLE],
        "goes on": [Case("goes on", parts) for parts in GOES_ON],
        "stays": [Case("stays", (first,)) for first, _ in GOES_ON],
        "final": [Case("final", (text,)) for text in FINAL],
        "free": [Case("free", parts, acts) for parts, acts in FREE],
        "whole": [Case("whole", (" ".join(parts),)) for parts in (*MIDDLE, *GOES_ON)],
    }
    return [case for kind in kinds for case in made[kind]]


def voice_of(number: int) -> Prosody:
    """Voices in turn: flite's four and two of espeak-ng, at common speed."""
    voices = (*(f"flite:{name}" for name in FLITE_VOICES), "en-us+f3", "en-gb+m2")
    return Prosody(voices[number % len(voices)], 155, 50)


def spoken_by(voice: Prosody, parts: tuple[str, ...], pause_s: float) -> Samples:
    """Wake word, a breath, and the parts with pauses of true silence between them, over faint noise."""
    gaps = [AFTER_WAKE_S, *[pause_s] * (len(parts) - 1)]
    pieces: list[Samples] = [speak("computer", voice)]
    for gap, part in zip(gaps, parts, strict=True):
        pieces += [np.zeros(round(gap * SAMPLE_RATE), np.int16), speak(part, voice)]
    sound = np.concatenate(pieces).astype(np.float32)
    noise = np.random.default_rng(len(sound)).standard_normal(sound.size).astype(np.float32) * 20.0
    return np.clip(sound * (8000.0 / max(1.0, float(np.abs(sound).max()))) + noise, -32768, 32767).astype(np.int16)


def done(entries: list[TimelineEntry]) -> list[tuple[str, str]]:
    """The actions that stand at the end, as (name, slots): what was taken back is gone."""
    standing: list[tuple[str, str]] = []
    for entry in entries:
        if entry.kind not in ("moved", "asked", "refused") or "action" not in entry.data:
            continue
        if entry.data["action"] == "undo":
            if standing and entry.kind == "moved":
                standing.pop()
        else:
            standing.append((entry.data["action"], json.dumps(entry.data["slots"], sort_keys=True)))
    return standing


def asked(matcher: TemplateMatcher, case: Case) -> list[tuple[str, str]]:
    """The actions that a case asks for, as `done` gives them."""
    if case.acts:
        return [_told(parse_action(act.name, dict(act.slots))) for act in read(case.acts)]
    text = case.text
    command = matcher.match(text)
    if command is None or command.kind is not CommandKind.ACTION:
        raise SystemExit(f"{text!r} asks for no action: not a case")
    return [_told(parse_action(command.name, command.slots))]


def _told(action: Action) -> tuple[str, str]:
    return action.name, json.dumps(action.slots(), sort_keys=True)


def judged(assistant: Assistant, case: Case, sound: Samples, wanted: list[tuple[str, str]]) -> dict[str, object]:
    """What became of a case."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.wav"
        write(path, sound)
        try:
            entries = list(assistant.hear(path))
        except GloveboxError as error:
            return {"kind": case.kind, "said": case.parts, "right": False, "heard": [], "did": str(error)}
    did = done(entries)
    said = [entry.data["latency_ms"] for entry in entries if entry.kind == "said"]
    return {
        "kind": case.kind,
        "said": case.parts,
        "right": did == wanted,
        "heard": [(entry.data["text"], entry.data.get("endpoint")) for entry in entries if entry.kind == "heard"],
        "did": did,
        "wanted": wanted,
        "total_ms": said[0].get("total") if said else None,
        "endpoint_ms": said[0].get("endpoint") if said else None,
    }


def main() -> None:
    """Measure, and print a line a case and the figures of each kind as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--pause", type=float, default=0.7, help="seconds between the parts")
    parser.add_argument("--kinds", nargs="*", default=["middle", "goes on", "stays", "final", "free"])
    parser.add_argument("--set", nargs="*", default=[], metavar="KEY=VALUE", help="settings, as for glovebox")
    given = parser.parse_args()
    matcher, rows = TemplateMatcher(), list[dict[str, object]]()
    with tempfile.TemporaryDirectory() as home:
        flags = dict(one.split("=", 1) for one in given.set)
        config = load_config(flags=flags | {"data.folder": f"{home}/data", "data.key_file": f"{home}/key"})
        with assemble(config) as assistant:  # each file is heard in a car of its own
            for number, case in enumerate(cases(tuple(given.kinds))):
                sound = spoken_by(voice_of(number), case.parts, given.pause)
                rows.append(judged(assistant, case, sound, asked(matcher, case)))
                print(json.dumps(rows[-1]), flush=True)
    for kind in given.kinds:
        own = [row for row in rows if row["kind"] == kind]
        times = sorted(float(str(row["total_ms"])) for row in own if row["total_ms"] is not None)
        figures = {"kind": kind, "right": sum(bool(row["right"]) for row in own), "of": len(own)}
        late = spread(times, 0, p50_ms=50, p95_ms=95) if times else {"p50_ms": None, "p95_ms": None}
        print(json.dumps({**figures, **late}), flush=True)


if __name__ == "__main__":
    main()
