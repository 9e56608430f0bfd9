"""The measurements, part by part: what is played to the assistant, and what came of each stream.

Owns which voice says what in which noise, and the counting of talk. Does not own right and wrong (`judge`), nor shares and
tables (`figures`). Everything drawn hangs on the seed, the part and the number of the case, never on what was measured before.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from deploy.lab.hearing import cases
from deploy.lab.hearing.cases import WAKE_WORD, Case
from deploy.lab.hearing.judge import Outcome, Words, actions, answered_at, heard_text, outcome, words_heard
from deploy.lab.hearing.rig import Car, Played
from deploy.lab.hearing.scenes import Floats, Scene, in_car, joined, levelled, talk, trimmed
from deploy.lab.hearing.voices import Voice
from deploy.lab.report.blocks import Progress
from deploy.timeline import TimelineEntry
from models.training.wake.corpus import Spoken
from schemas.events import SAMPLE_RATE, Samples

PARTS = ("commands", "free", "pauses", "onward", "breath", "followup", "idle", "resident")
"""Names for ``--only``, in the order in which they are run."""
NOISES: tuple[float | None, ...] = (None, 10.0)
"""The quiet car, and broadband noise 10 dB under the voice."""
PAUSE_S = 0.7
GAP_S = (0.5, 0.7)
"""The pause after a complete beginning, drawn evenly."""
TRIES = 48
"""Recordings of the wake word that a command follows in one breath."""
CONVERSATIONS, TALK_S = 2, 300.0
"""Conversations in which a passenger goes on talking, and for how long."""
IDLE_S = 1800.0
REPLY_ROOM_S = 3.0
"""Seconds between the opening request and the passenger's first word: the reply sounds, then the window is open."""

Show = Callable[[str], None]
"""Told what became of a case, for who wants to see."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What there is to play."""

    voices: Sequence[Voice]
    """Unseen voices."""
    control: Voice | None
    lines: Sequence[str]
    """What other people say, for talk."""
    recordings: Sequence[Spoken]
    """Real speakers saying the wake word."""
    goes_on: Callable[[str], bool]
    """Whether a longer command begins with these words."""
    seed: int = 1
    limit: int | None = None
    """Only so many cases of each part and voice, and minutes of talk."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A request that was spoken."""

    voice: str
    snr: float | None
    name: str
    outcome: Outcome
    reply_ms: float | None
    """From the true end of the speech to the first sound of a reply; None without one after it."""
    goes_on: bool


@dataclass(frozen=True, slots=True)
class Worded:
    """A free wording that was spoken."""

    voice: str
    snr: float | None
    name: str
    words: Words
    reply_ms: float | None


@dataclass(frozen=True, slots=True)
class Talked:
    """People talking near a car that they do not address."""

    seconds: float
    opened: bool
    """Whether the request before it was heard, so that a conversation was open."""
    wakes: int
    replies: int
    """What was answered though nobody had asked."""
    acts: int
    """What the vehicle did though nobody had asked."""
    ended_s: float | None
    """Seconds after the beginning of the talk at which the conversation ended; None if it never did."""
    always_on: float
    """Share of a core that wake word and voice activity took at real time."""
    whole: float
    """The same for the whole process."""


@dataclass(slots=True)
class Results:
    """What was measured; a part that was not run has nothing."""

    commands: list[Tried] = field(default_factory=list[Tried])
    free: list[Worded] = field(default_factory=list[Worded])
    pauses: list[Tried] = field(default_factory=list[Tried])
    onward: list[Tried] = field(default_factory=list[Tried])
    alone: list[Tried] = field(default_factory=list[Tried])
    breath: list[Tried] = field(default_factory=list[Tried])
    unlocked: int = 0
    """Of `breath`: tries that asked the vehicle to unlock."""
    followup: list[Talked] = field(default_factory=list[Talked])
    idle: list[Talked] = field(default_factory=list[Talked])


def rng_of(plan: Plan, *names: object) -> np.random.Generator:
    """The generator of one case: the same whatever else is run."""
    return np.random.default_rng([plan.seed, zlib.crc32("/".join(map(str, names)).encode())])


def commands(car: Car, plan: Plan, results: Results, tell: Progress, show: Show) -> None:
    """Documented commands, by every voice and the control, in quiet and in noise."""
    speakers = [*plan.voices, *([plan.control] if plan.control else [])]
    work = [(snr, voice, case) for snr in NOISES for voice in speakers for case in cases.COMMANDS[: plan.limit]]
    for number, (snr, voice, case) in enumerate(work):
        tell("documented commands", number, len(work))
        rng = rng_of(plan, "commands", snr, voice.name, case.text)
        scene = in_car(_said(voice, case.text), snr, rng)
        results.commands.append(_tried(car, plan, scene, voice, snr, case, show))


def free(car: Car, plan: Plan, results: Results, tell: Progress, show: Show) -> None:
    """Free wordings, judged on the words heard."""
    work = [(snr, voice, one) for snr in NOISES for voice in plan.voices for one in cases.FREE[: plan.limit]]
    for number, (snr, voice, wording) in enumerate(work):
        tell("free wordings", number, len(work))
        scene = in_car(_said(voice, wording.text), snr, rng_of(plan, "free", snr, voice.name, wording.text))
        played = car.play(scene.samples)
        words = words_heard(played.entries, wording)
        results.free.append(Worded(voice.name, snr, wording.text, words, _reply_ms(played, scene)))
        if not words.right:
            show(f"free {_noise(snr)} {voice.name} “{wording.text}”: {_told(played)}")


def pauses(car: Car, plan: Plan, results: Results, tell: Progress, show: Show) -> None:
    """Requests with a pause in mid-sentence, each by two voices."""
    work = [
        (voice, case) for number, case in enumerate(cases.PAUSED[: plan.limit]) for voice in _two(plan.voices, number)
    ]
    for number, (voice, case) in enumerate(work):
        tell("pauses in mid-sentence", number, len(work))
        scene = in_car(_said_in_pieces(voice, case, PAUSE_S), None, rng_of(plan, "pauses", voice.name, case.text))
        results.pauses.append(_tried(car, plan, scene, voice, None, case, show))


def onward(car: Car, plan: Plan, results: Results, tell: Progress, show: Show) -> None:
    """Complete requests that go on after a pause, and their beginnings alone, each by one voice."""
    work = cases.ONWARD[: plan.limit]
    for number, one in enumerate(work):
        tell("complete requests that go on", number, len(work))
        if not plan.voices:
            return
        voice = plan.voices[number % len(plan.voices)]
        rng = rng_of(plan, "onward", voice.name, one.whole.text)
        scene = in_car(_said_in_pieces(voice, one.whole, float(rng.uniform(*GAP_S))), None, rng)
        results.onward.append(_tried(car, plan, scene, voice, None, one.whole, show, one.alone))
        scene = in_car(_said(voice, one.alone.text), None, rng)
        results.alone.append(_tried(car, plan, scene, voice, None, one.alone, show))


def breath(car: Car, plan: Plan, results: Results, tell: Progress, show: Show) -> None:
    """A command directly behind real recordings of the wake word, in an unlocked car."""
    order = rng_of(plan, "breath").permutation(len(plan.recordings))
    chosen = [plan.recordings[int(place)] for place in order[: min(TRIES, plan.limit or TRIES)]]
    for number, recording in enumerate(chosen):
        tell("wake word and command in one breath", number, len(chosen))
        if not plan.voices:
            return
        voice = plan.voices[number % len(plan.voices)]
        word = levelled(recording.samples[: recording.end])
        speech = np.concatenate([word, levelled(trimmed(voice.sound(cases.ONE_BREATH.text)))])
        scene = in_car(speech, None, rng_of(plan, "breath", number))
        played = car.play(scene.samples, ("unlock the doors", "yes"))
        asked = [done for done in actions(played.entries) if done.action == "set_door_locks"]
        results.unlocked += any(done.slots.get("locked") is False for done in asked)
        results.breath.append(_judged(plan, played, scene, voice, None, cases.ONE_BREATH, show))


def followup(car: Car, plan: Plan, results: Results, tell: Progress, show: Show) -> None:
    """One request, and then a passenger who talks to somebody else."""
    seconds = min(TALK_S, 60.0 * plan.limit) if plan.limit else TALK_S
    for number in range(CONVERSATIONS if plan.voices and plan.lines else 0):
        tell("talk in the follow-up window", number, CONVERSATIONS)
        driver, passenger = _two(plan.voices, number) if len(plan.voices) > 1 else (plan.voices[0],) * 2
        opening = joined([driver.sound(f"{WAKE_WORD}, {cases.OPENING.text}")], [])
        rng = rng_of(plan, "followup", number)
        room = np.zeros(round(REPLY_ROOM_S * SAMPLE_RATE), np.float32)
        scene = in_car(np.concatenate([opening, room, _talk(passenger, plan, rng, seconds)]), None, rng)
        begin = scene.begin_s + opening.size / SAMPLE_RATE + REPLY_ROOM_S
        results.followup.append(_talked(car.play(scene.samples), scene, begin, show, f"followup {passenger.name}"))


def idle(car: Car, plan: Plan, results: Results, tell: Progress, show: Show) -> None:
    """Other people's talk for half an hour, shared out among the voices; nobody says the wake word."""
    seconds = min(IDLE_S, 60.0 * plan.limit) if plan.limit else IDLE_S
    for number, voice in enumerate(plan.voices):
        tell("talk of others", number, len(plan.voices))
        rng = rng_of(plan, "idle", voice.name)
        scene = in_car(_talk(voice, plan, rng, seconds / len(plan.voices)), None, rng)
        results.idle.append(_talked(car.play(scene.samples), scene, 0.0, show, f"idle {voice.name}"))


def sounds_of(plan: Plan, only: Sequence[str], tell: Progress) -> None:
    """Make all sound before anything is measured; what is kept on disk is not made again."""
    speakers: list[Voice] = [*plan.voices, *([plan.control] if plan.control else [])]
    for number, voice in enumerate(speakers):
        tell("making sound that is not kept yet", number, len(speakers))
        voice.sounds(list(_texts(plan, voice, only)))


def weighed(plan: Plan) -> list[Samples]:
    """Streams to weigh the assistant with: a few commands and free wordings, so that every engine has worked."""
    texts = [*(case.text for case in cases.COMMANDS[:3]), *(wording.text for wording in cases.FREE[:3])]
    return [
        in_car(_said(voice, text), None, rng_of(plan, "resident", text)).samples
        for voice in plan.voices[:1]
        for text in texts
    ]


RUNS: Mapping[str, Callable[[Car, Plan, Results, Progress, Show], None]] = {
    "commands": commands,
    "free": free,
    "pauses": pauses,
    "onward": onward,
    "breath": breath,
    "followup": followup,
    "idle": idle,
}
"""Each is given an assistant of its own."""


def lacking(plan: Plan) -> dict[str, str]:
    """Parts that cannot be run with this plan, and why."""
    found: dict[str, str] = {}
    if not plan.voices:
        found |= dict.fromkeys(
            [part for part in PARTS if part != "commands" or plan.control is None], "no unseen voice is here"
        )
    if not plan.lines:
        found |= dict.fromkeys(("followup", "idle"), "no talk was given with --talk")
    if not plan.recordings:
        found["breath"] = "no recordings of the wake word were given with --recordings"
    return found


def _texts(plan: Plan, voice: Voice, only: Sequence[str]) -> Iterator[str]:
    if "commands" in only:
        yield from (f"{WAKE_WORD}, {case.text}" for case in cases.COMMANDS[: plan.limit])
    if voice is plan.control:
        return
    if "free" in only:
        yield from (f"{WAKE_WORD}, {wording.text}" for wording in cases.FREE[: plan.limit])
    if "pauses" in only:
        yield from (text for case in cases.PAUSED[: plan.limit] for text in _pieces(case))
    if "onward" in only:
        for one in cases.ONWARD[: plan.limit]:
            yield from (*_pieces(one.whole), f"{WAKE_WORD}, {one.alone.text}")


def _pieces(case: Case) -> tuple[str, ...]:
    first, *rest = case.pieces
    return f"{WAKE_WORD}, {first}", *rest


def _said(voice: Voice, text: str) -> Floats:
    """Wake word and sentence, as one synthesised text."""
    return joined([voice.sound(f"{WAKE_WORD}, {text}")], [])


def _said_in_pieces(voice: Voice, case: Case, pause_s: float) -> Floats:
    sounds = voice.sounds(_pieces(case))
    return joined(sounds, [pause_s] * (len(sounds) - 1))


def _talk(voice: Voice, plan: Plan, rng: np.random.Generator, seconds: float) -> Floats:
    """Lines in an order of the generator, enough for so many seconds: nobody says more than 4 words a second."""
    order, chosen, words = rng.permutation(len(plan.lines)), list[str](), 0
    for place in order:
        chosen.append(plan.lines[int(place)])
        words += len(chosen[-1].split())
        if words > 4.0 * seconds:
            break
    return talk(voice.sounds(chosen), rng, seconds)


def _two(voices: Sequence[Voice], number: int) -> tuple[Voice, ...]:
    """Two of the voices (or the only one), others for the next number."""
    return (
        tuple(dict.fromkeys(voices[(number + step) % len(voices)] for step in (0, len(voices) // 2))) if voices else ()
    )


def _tried(  # noqa: PLR0917 - one call for what belongs to one try
    car: Car,
    plan: Plan,
    scene: Scene,
    voice: Voice,
    snr: float | None,
    case: Case,
    show: Show,
    first: Case | None = None,
) -> Tried:
    return _judged(plan, car.play(scene.samples), scene, voice, snr, case, show, first)


def _judged(  # noqa: PLR0917 - as above
    plan: Plan, played: Played, scene: Scene, voice: Voice, snr: float | None, case: Case, show: Show,
    first: Case | None = None,
) -> Tried:  # fmt: skip
    found = outcome(played.entries, case, played.values, first)
    if found is not Outcome.RIGHT:
        show(f"{found.value} {_noise(snr)} {voice.name} “{case.name}”: {_told(played)}")
    goes_on = plan.goes_on(" ".join(case.pieces))
    return Tried(voice.name, snr, case.name, found, _reply_ms(played, scene), goes_on)


def _reply_ms(played: Played, scene: Scene) -> float | None:
    at = answered_at(played.entries, scene.end_s)
    return None if at is None else (at - scene.end_s) * 1000.0


def _talked(played: Played, scene: Scene, begin_s: float, show: Show, name: str) -> Talked:
    during = [entry for entry in played.entries if entry.at_s >= begin_s]
    ended = next((entry.at_s - begin_s for entry in during if entry.kind == "ended"), None)
    length = scene.samples.size / SAMPLE_RATE
    if ended is not None and ended > length - begin_s:
        ended = None  # the stream's own end closed it
    opened = any(entry.kind == "wake" and entry.at_s < begin_s for entry in played.entries)
    for entry in during:
        if entry.kind in {"wake", "moved", "asked", "heard"}:
            show(f"{name} {entry.at_s:.1f} s {entry.kind} {entry.text}")
    audio = max(played.load.audio_s, 1e-9)
    return Talked(
        seconds=scene.end_s - begin_s,
        opened=opened,
        wakes=_count(during, "wake"),
        replies=_count(during, "said"),
        acts=_count(during, "moved"),
        ended_s=ended,
        always_on=played.load.share(),
        whole=played.cpu_s / audio,
    )


def _count(entries: Sequence[TimelineEntry], kind: str) -> int:
    return sum(entry.kind == kind for entry in entries)


def _told(played: Played) -> str:
    """What was heard, done and said, for who looks for causes."""
    done = ", ".join(
        f"{one.kind} {one.action}({', '.join(f'{name}={value}' for name, value in one.slots.items())})"
        for one in actions(played.entries)
    )
    said = " ".join(entry.text for entry in played.entries if entry.kind == "said")
    return f"heard “{heard_text(played.entries)}”; {done or 'nothing done'}; {said or 'nothing said'}"


def _noise(snr: float | None) -> str:
    return "quiet" if snr is None else f"{snr:g} dB"
