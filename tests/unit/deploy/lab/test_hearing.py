"""`eval hearing`: what is said and where it lies, right and wrong, counting, missing voices. No engine speaks or hears."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deploy.cli.main import main
from deploy.lab.hearing import cases, figures, judge, parts, scenes, voices
from deploy.lab.hearing.cases import Case, Wanted, Wording
from deploy.lab.hearing.judge import Outcome
from deploy.lab.hearing.parts import Plan, Results
from deploy.lab.hearing.rig import Played
from deploy.lab.report.blocks import silent
from deploy.lab.report.page import render
from deploy.machine.footprint import resident_mb
from deploy.timeline import TimelineEntry
from models.acoustics import active_level
from models.commands.matcher import TemplateMatcher
from models.training.wake.corpus import Spoken
from schemas.actions import ACTIONS
from schemas.events import SAMPLE_RATE, Samples
from vehicle.signals import SIGNALS
from voice.loop import Load

WINDOW = Case("open the window", (Wanted("set_window", {"window": "driver", "percent": 100}, {"window.driver": 100}),))
HALFWAY = Case("open the window | halfway", (Wanted("set_window", {"percent": 50}),))
BOTH = Case("lock | and fold", (Wanted("set_door_locks"), Wanted("set_mirrors")))


def entry(kind: str, at: float = 1.0, **data: Any) -> TimelineEntry:
    return TimelineEntry(at_s=at, kind=kind, text=kind, data=data)


def acted(action: str, kind: str = "moved", *, targets: dict[str, Any] | None = None, **slots: Any) -> TimelineEntry:
    moved = [{"signal": signal, "target": value} for signal, value in (targets or {}).items()]
    return entry(kind, action=action, slots=slots, moved=moved)


def opened(percent: int, **more: Any) -> TimelineEntry:
    return acted("set_window", window="driver", percent=percent, **more)


def judged(case: Case, *entries: TimelineEntry, values: dict[str, Any] | None = None, first: Case | None = None) -> str:
    return judge.outcome([entry("wake"), *entries], case, values or {}, first).value


def nowhere(name: str) -> None:
    """No such program, no such package."""


def tone(seconds: float, level: float = 8000.0) -> Samples:
    return (level * np.sin(np.arange(round(seconds * SAMPLE_RATE)) * 0.3)).astype(np.int16)


class Speaker(voices.Voice):
    """A voice whose sentences are tones as long as their words, and which counts what it was asked to make."""

    def __init__(self, name: str, folder: Path) -> None:
        self.made: list[str] = []
        super().__init__(name, self._tones, folder)

    def _tones(self, texts: Sequence[str]) -> list[Samples]:
        self.made += texts
        return [tone(0.1 * len(text.split())) for text in texts]


class Listed:
    """A car that tells what it was made with, stream by stream."""

    def __init__(self, tell: Callable[[Samples], Sequence[TimelineEntry]]) -> None:
        self._tell, self.streams, self.typed_texts = tell, list[Samples](), list[str]()

    def play(self, samples: Samples, before: Sequence[str] = ()) -> Played:
        self.streams.append(samples)
        self.typed_texts += before
        seconds = samples.size / SAMPLE_RATE
        load = Load(audio_s=seconds, wake_cpu_s=0.01 * seconds, vad_cpu_s=0.02 * seconds)
        return Played(tuple(self._tell(samples)), {}, load, 0.2 * seconds)


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return Plan(
        voices=[Speaker(name, tmp_path) for name in ("ann", "bob")],
        control=Speaker(voices.CONTROL, tmp_path),
        lines=["good morning to you", "how was your day", "fine thanks"],
        recordings=[Spoken(tone(1.0), 2000, 12_000)] * 3,
        goes_on=lambda text: text == "night mode",
        limit=2,
    )


# What is said ---------------------------------------------------------------------------------------------------------


def every_wanted() -> list[tuple[str, Wanted]]:
    spoken = [
        *cases.COMMANDS,
        *cases.PAUSED,
        *(one.whole for one in cases.ONWARD),
        *(one.alone for one in cases.ONWARD),
    ]
    return [(case.text, wanted) for case in [*spoken, cases.ONE_BREATH, cases.OPENING] for wanted in case.wanted]


def test_what_is_wanted_exists_in_the_vehicle() -> None:
    known = {action.name for action in ACTIONS}
    for text, wanted in every_wanted():
        assert wanted.action in known, text
        assert set(wanted.signals) <= set(SIGNALS), text


def test_the_commands_mean_what_is_wanted_when_they_are_typed() -> None:
    matcher = TemplateMatcher()
    texts = [*cases.COMMANDS, *(one.alone for one in cases.ONWARD)]
    texts += [Case(" ".join(case.pieces), case.wanted) for case in cases.PAUSED]
    for case in texts:
        command = matcher.match(case.text)
        assert command is not None and command.name == case.wanted[0].action, case.text


def test_enough_is_said_and_nothing_twice() -> None:
    assert len(cases.COMMANDS) >= 20 and len(cases.FREE) >= 20 and len(cases.PAUSED) >= 10 and len(cases.ONWARD) >= 20
    said = [case.text for case in cases.COMMANDS] + [wording.text for wording in cases.FREE]
    assert len(said) == len(set(said))
    assert all(len(case.pieces) == 2 for case in cases.PAUSED)
    assert all(one.whole.pieces[0] == one.alone.text for one in cases.ONWARD)
    assert all(wording.carriers and "*" not in wording.text for wording in cases.FREE)


def test_documented_commands_are_documented() -> None:
    documented = (Path(__file__).parents[4] / "docs" / "what-to-say.md").read_text("utf-8")
    assert [case.text for case in cases.COMMANDS if case.text not in documented] == []


# Where it lies --------------------------------------------------------------------------------------------------------


def test_the_noise_is_broadband_and_at_the_stated_ratio() -> None:
    noise = scenes.broadband(4 * SAMPLE_RATE, np.random.default_rng(3))
    assert float(np.sqrt(np.mean(noise**2))) == pytest.approx(1.0, abs=1e-3)
    power = np.abs(np.fft.rfft(noise)) ** 2
    hertz = np.fft.rfftfreq(noise.size, 1.0 / SAMPLE_RATE)
    total = power.sum()
    assert power[hertz < 40.0].sum() / total < 0.05
    assert power[hertz > 300.0].sum() / total > 0.3
    speech = scenes.levelled(tone(1.0))
    scene = scenes.in_car(speech, 10.0, np.random.default_rng(4))
    around = scene.samples[: int(1.4 * SAMPLE_RATE)].astype(np.float32) / 32768.0
    assert 20.0 * np.log10(active_level(speech) / np.sqrt(np.mean(around**2))) == pytest.approx(10.0, abs=0.7)


def test_a_scene_tells_where_its_sound_begins_and_ends() -> None:
    pieces = [np.concatenate([np.zeros(3000, np.int16), tone(0.5), np.zeros(9000, np.int16)]), tone(0.3)]
    speech = scenes.joined(pieces, [0.7])
    assert speech.size / SAMPLE_RATE == pytest.approx(1.5, abs=0.03)
    scene = scenes.in_car(speech, None, np.random.default_rng(1))
    assert 1.5 <= scene.begin_s < 1.54 and scene.end_s - scene.begin_s == pytest.approx(speech.size / SAMPLE_RATE)
    assert np.abs(scene.samples[: int(1.5 * SAMPLE_RATE)]).max() < 100
    assert scene.samples.size / SAMPLE_RATE == pytest.approx(scene.end_s + scenes.TAIL_S, abs=0.001)


def test_silence_and_nothing_are_no_reason_to_fail() -> None:
    assert scenes.trimmed(np.zeros(2000, np.int16)).size == 0
    assert scenes.joined([], []).size == 0
    assert scenes.talk([], np.random.default_rng(1), 3.0).size == 0
    assert scenes.talk([np.zeros(100, np.int16)], np.random.default_rng(1), 3.0).size == 3 * SAMPLE_RATE


def test_talk_has_pauses_and_the_length_that_was_asked_for() -> None:
    sound = scenes.talk([tone(0.5), tone(1.0)], np.random.default_rng(1), 20.0)
    assert sound.size == 20 * SAMPLE_RATE
    assert 0.2 < float(np.mean(np.abs(sound) < 1e-6)) < 0.8


# Right and wrong ------------------------------------------------------------------------------------------------------


def test_right_is_the_wanted_action_and_nothing_else() -> None:
    assert judged(WINDOW, opened(100, targets={"window.driver": 100})) == "right"
    assert judged(WINDOW, opened(100), values={"window.driver": 100}) == "right"
    assert judged(WINDOW, opened(100, kind="asked")) == "right"
    assert judged(WINDOW, opened(50)) == "wrong"
    assert judged(WINDOW, opened(100, targets={"window.driver": 60})) == "wrong"
    assert judged(WINDOW, opened(100, kind="asked"), acted("set_volume", percent=3)) == "wrong"
    assert judged(WINDOW, opened(50, kind="asked")) == "other"
    assert judged(WINDOW) == "nothing"
    assert judged(WINDOW, TimelineEntry(at_s=3.0, kind="said", text="“Lock or unlock the doors?”")) == "question"
    assert judged(WINDOW, TimelineEntry(at_s=3.0, kind="said", text="“Sorry, I didn't understand that.”")) == "nothing"
    assert judge.outcome([opened(100)], WINDOW, {}) is Outcome.ASLEEP


def test_all_that_is_wanted_must_be_done() -> None:
    assert judged(BOTH, acted("set_door_locks"), acted("set_mirrors")) == "right"
    assert judged(BOTH, acted("set_door_locks")) == "partly"


def test_what_the_beginning_asks_for_may_be_amended_but_not_left() -> None:
    assert judged(HALFWAY, opened(50), first=WINDOW) == "right"
    assert judged(HALFWAY, opened(100), opened(50), first=WINDOW) == "amended"
    assert judged(HALFWAY, opened(50), opened(100), first=WINDOW) == "wrong"
    assert judged(HALFWAY, opened(100), first=WINDOW) == "wrong"
    assert judged(HALFWAY, opened(100), opened(50)) == "amended"
    assert judged(HALFWAY, opened(50), opened(100)) == "wrong"
    assert judged(HALFWAY, acted("set_volume"), opened(50)) == "wrong"
    assert judged(HALFWAY, acted("set_volume"), acted("undo"), opened(50)) == "amended"
    assert judged(HALFWAY, opened(50), acted("undo")) == "nothing"


def test_values_are_equal_to_a_twentieth_and_a_yes_is_no_number() -> None:
    assert judge.same(22.5, 22.5) and judge.same(20, 20.04) and not judge.same(20, 20.1)
    assert not judge.same(1, True) and judge.same(True, True)
    assert judge.same("blue", "blue") and not judge.same(None, "blue")


def test_words_are_compared_in_the_spoken_form() -> None:
    wording = Wording("set it to *twenty* *degrees* please")
    heard = [entry("wake"), entry("heard", 2.0, text="Set it to 20 degrees."), entry("heard", 4.0, text="Please!")]
    words = judge.words_heard(heard, wording)
    assert (words.errors, words.words, words.carried, words.carriers) == (0, 6, 2, 2) and words.right
    fewer = judge.words_heard([entry("wake"), entry("heard", text="degrees twenty")], wording)
    assert fewer.carried == 1 and not fewer.right
    assert not judge.words_heard(heard[1:], wording).right
    assert judge.words_heard(
        [entry("wake"), entry("heard", text="the head lights on")], Wording("*headlights* *on*")
    ).right


def test_what_went_on_is_not_counted_twice() -> None:
    heard = [
        entry("heard", 2.0, text="open it"),
        entry("heard", 2.0, text="open it halfway"),
        entry("heard", 9.0, text="no"),
    ]
    assert judge.heard_text(heard) == "open it halfway no"


def test_the_wake_word_in_front_is_not_counted_as_an_error() -> None:
    assert judge.heard_text([entry("heard", text="computer lock the doors")]) == "lock the doors"


# Counting -------------------------------------------------------------------------------------------------------------


def test_every_voice_says_every_command_in_quiet_and_noise(plan: Plan) -> None:
    results = Results()
    said = entry("said", at=30.0)
    car = Listed(lambda _: [entry("wake"), acted("set_temperature", celsius=22.5, targets={}), said])
    parts.commands(car, plan, results, silent, lambda _: None)
    assert len(results.commands) == 2 * 3 * 2 and len(car.streams) == 12
    found = figures.measured(results)
    assert found["commands"]["quiet"]["n"] == 4 and found["commands"]["control_10dB"]["n"] == 2
    assert found["commands"]["quiet"]["counts"] == {"wrong": 4}
    assert found["wake"]["quiet"]["missed"] == 0.0 and found["wake"]["quiet"]["n"] == 4


def test_the_same_seed_plays_the_same_and_another_does_not(plan: Plan, tmp_path: Path) -> None:
    def streams(seed: int) -> list[Samples]:
        car = Listed(lambda _: [])
        speakers = [Speaker("ann", tmp_path)]
        one = Plan(speakers, None, plan.lines, plan.recordings, plan.goes_on, seed, 1)
        for part in ("free", "idle", "breath"):
            parts.RUNS[part](car, one, Results(), silent, lambda _: None)
        return car.streams

    first, again, other = streams(1), streams(1), streams(2)
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not any(np.array_equal(a, b) for a, b in zip(first, other, strict=True))


def test_sound_is_made_once(plan: Plan, tmp_path: Path) -> None:
    parts.sounds_of(plan, parts.PARTS, silent)
    parts.sounds_of(plan, parts.PARTS, silent)
    made = [voice.made for voice in plan.voices if isinstance(voice, Speaker)]
    assert all(texts and len(texts) == len(set(texts)) for texts in made)
    again = Speaker("ann", tmp_path)
    text = f"{cases.WAKE_WORD}, {cases.COMMANDS[0].text}"
    assert np.array_equal(again.sound(text), tone(0.1 * len(text.split()))) and again.made == []


def test_letters_are_given_to_synthesisers_as_letters(tmp_path: Path) -> None:
    speaker = Speaker("ann", tmp_path)
    speaker.sounds(["start at ten p m", "no a c please", "a cat"])
    assert speaker.made == ["start at ten P M", "no A C please", "a cat"]


def test_unlocking_is_counted_asked_or_done(plan: Plan) -> None:
    results = Results()
    told = iter(
        [
            [entry("wake"), acted("set_door_locks", locked=True)],
            [entry("wake"), acted("set_door_locks", kind="asked", locked=False)],
        ]
    )
    car = Listed(lambda _: next(told))
    parts.breath(car, plan, results, silent, lambda _: None)
    found = figures.measured(results)["breath"]
    assert (found["n"], found["locked"], found["unlocked"]) == (2, 0.5, 1)
    assert car.typed_texts == ["unlock the doors", "yes"] * 2


def test_a_conversation_that_never_ends_counts_as_long_as_the_talk(plan: Plan) -> None:
    results = Results()
    told = iter(
        [
            [entry("wake", 1.6), entry("said", 3.0), entry("said", 9.0), entry("ended", 15.0)],
            [entry("wake", 1.6), entry("ended", 1e6)],
            [entry("wake", 20.0)],
        ]
    )
    car = Listed(lambda _: next(told))
    parts.followup(car, plan, results, silent, lambda _: None)
    first, second = results.followup
    assert first.ended_s == pytest.approx(15.0 - (1.5 + 0.6 + 3.0), abs=0.1) and first.replies == 1 and first.opened
    assert second.ended_s is None
    found = figures.measured(results)["followup"]
    assert found["never_ended"] == 1 and found["ended_s"] == pytest.approx(
        ((first.ended_s or 0.0) + second.seconds) / 2, abs=0.1
    )
    parts.idle(Listed(lambda _: [entry("wake", 20.0)]), plan, results, silent, lambda _: None)
    idle = figures.measured(results)["idle"]
    assert idle["wakes_per_hour"] == pytest.approx(2 / (2 / 60), rel=0.05) and idle["always_on_share"] == pytest.approx(
        0.03
    )


def test_latency_is_of_what_was_right_by_whether_more_could_come() -> None:
    def tried(ms: float | None, *, goes_on: bool, what: Outcome = Outcome.RIGHT, voice: str = "ann") -> parts.Tried:
        return parts.Tried(voice, None, "x", what, ms, goes_on)

    results = Results(
        commands=[
            tried(300.0, goes_on=False),
            tried(100.0, goes_on=False),
            tried(9.0, goes_on=False, what=Outcome.WRONG),
            tried(9.0, goes_on=False, voice=voices.CONTROL),
            tried(None, goes_on=False),
        ],
        alone=[tried(700.0, goes_on=True)],
    )
    found = figures.measured(results)["latency"]
    assert found == {
        "commands_ms": {"n": 2, "p50": 200.0, "p95": 290.0},
        "goes_on_ms": {"n": 1, "p50": 700.0, "p95": 700.0},
    }


def test_a_reply_counts_from_the_end_of_the_sentence() -> None:
    entries = [entry("said", 2.0), entry("said", 4.5)]
    assert judge.answered_at(entries, 4.0) == 4.5 and judge.answered_at(entries, 5.0) is None


def test_the_report_sets_goals_beside_figures_and_names_what_is_missing() -> None:
    results = Results(commands=[parts.Tried("ann", None, "x", Outcome.RIGHT, 300.0, goes_on=False)])
    missing = [voices.Missing("pico", "the package py-nanotts is not installed")]
    report = figures.report(results, {"profile": "p"}, missing, {"idle": "no talk was given"}, {"most_mb": 1300.0})
    rows = {row[0]: row for block in report.blocks[:1] for row in getattr(block, "rows", ())}
    assert rows["documented commands right, quiet"][1:] == (1.0, 1, ">= 0.95", "yes")
    assert rows["... at most, after playing"][4] == "no"
    page = render(report, "glovebox eval hearing")
    assert "py-nanotts is not installed" in page and "no talk was given" in page
    assert set(figures.GOALS) <= set(figures.NAMES)
    json.dumps(report.figures)


def test_parts_that_lack_something_say_what(plan: Plan) -> None:
    assert parts.lacking(plan) == {}
    bare = parts.lacking(Plan([], plan.control, [], [], plan.goes_on))
    assert "commands" not in bare and set(bare) == set(parts.PARTS) - {"commands"}
    assert "--talk" in bare["idle"] and "--recordings" in bare["breath"] and "voice" in bare["free"]


# Voices and the command line ------------------------------------------------------------------------------------------


def test_a_voice_that_is_not_here_is_named_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voices.importlib.util, "find_spec", nowhere)
    monkeypatch.setattr(voices.shutil, "which", nowhere)
    found, missing = voices.find((*voices.UNSEEN, voices.CONTROL), tmp_path, None)
    assert found == [] and [one.name for one in missing] == [*voices.UNSEEN, voices.CONTROL]
    assert all("install" in one.why for one in missing)
    monkeypatch.setattr(voices.importlib.util, "find_spec", str.upper)
    found, missing = voices.find(("pico", "joe"), tmp_path, tmp_path / "none.onnx")
    assert [voice.name for voice in found] == ["pico"] and "--piper" in missing[0].why


@pytest.mark.parametrize("wrong", [["--only", "singing"], ["--voices", "hal"], ["--only", " , "]])
def test_unknown_parts_and_voices_are_refused(
    wrong: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["eval", "hearing", "--sounds", str(tmp_path), "--json", *wrong])
    assert code == 10 and wrong[0] in json.loads(capsys.readouterr().out)["error"]["message"]


def test_without_any_voice_everything_is_skipped_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(voices.shutil, "which", nowhere)
    code = main(["eval", "hearing", "--sounds", str(tmp_path / "new"), "--voices", "slt", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert code == 0 and set(told["missing_voices"]) == {"slt"}
    assert set(told["skipped"]) == set(parts.PARTS)


def test_resident_memory_is_that_of_the_whole_tree(tmp_path: Path) -> None:
    for number, parent, kilobytes in ((10, 1, 1000), (11, 10, 500), (12, 11, 250), (13, 1, 9000)):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "status").write_text(f"Name:\tx\nPPid:\t{parent}\nVmRSS:\t{kilobytes} kB\n", encoding="utf-8")
    (tmp_path / "14").mkdir()  # ended meanwhile
    (tmp_path / "self").mkdir()
    assert resident_mb(10, tmp_path) == pytest.approx(1750 * 1024 / 1e6)
