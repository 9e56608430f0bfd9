"""Has the cases of a suite said to the assistant as it is assembled: a car, a vault and a conversation of its own for each.

Owns the temporary home (the driver's real vault is never touched), the time of day, the answering of offers, and how effects are
looked at: from outside. Everything else is asked of the car that ``deploy.app.open_car`` gives. How sentences are spoken instead of
typed is ``speaking``'s. Judges only whether a driver who was offered something would go on from there.
"""

from __future__ import annotations

import asyncio
import email
import email.policy
import tempfile
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol, cast

from deploy import app
from deploy.assistant import Assistant, Ears, Mouth
from deploy.car import Car
from deploy.config import Config
from deploy.engines import Engines
from deploy.lab.dialogue.seen import Answered, Beside, Effects, Kept, Mail, Notice, Result, Said, drifts
from deploy.lab.dialogue.speaking import YES, DriverClock, Speakers
from deploy.lab.dialogue.suite import Case, Setup, Turn
from deploy.lab.dialogue.verdict import Judgement, judge
from deploy.lab.dialogue.wording import offers
from deploy.lab.report.blocks import Progress
from deploy.speech import open_voice
from deploy.timeline import TimelineEntry
from models.catalog import Catalog
from models.commands.matcher import TemplateMatcher
from schemas.errors import AdapterError, ConsentError, EvaluationDataError
from schemas.kinds import Sense
from schemas.ports import MemoryPort, Recognizer, Vad, WakeWord
from vehicle import organizer as vehicle_organizer
from voice.vad.silero import SileroVad

BEGAN = datetime(2026, 11, 24, 10, 0)  # noqa: DTZ001 - ten in the morning wherever it runs
"""When every case begins, by the device's zone: a Tuesday on which the whole day is still to come. Ours, so that a run repeats."""
SAMPLE = Path(vehicle_organizer.__file__).with_name("organizer.json")
"""Contacts, calendar and weather of a driver who does not exist, as the vehicle's package has them."""
MOTION: Mapping[str, tuple[str, float]] = {
    "town": ("town", 20.0),
    "parked": ("parked", 5.0),
    "motorway": ("motorway", 14.0),
}
"""The simulated drive, and the second of it at which a case begins: about 49 km/h, 0 and above 100."""
WAIT_S = 9.0
"""Seconds that pass after a turn: windows and seats have arrived. The suite's format, as all these times."""
UNANSWERED_S = 6.0
"""The same after an offer that gets no yes: the offer is still open then."""
EARLIER_S = 4.0
"""After each sentence of an earlier conversation, and before the case."""
YES_S = 2.0
"""Until an offer is answered."""
YESES = 3
"""At most so many offers are accepted one after the other."""


@dataclass(frozen=True, slots=True)
class Played:
    """A turn that was said."""

    case: Case
    turn: Turn
    result: Result
    said: Said

    @property
    def judged(self) -> Judgement | None:
        """What became of it; None where nothing is expected of it."""
        return None if self.turn.right is None else judge(self.turn, self.result)


@dataclass(frozen=True, slots=True)
class _Look:
    """All that is watched."""

    signals: Mapping[str, Any]
    kept: frozenset[Kept]
    consent: Mapping[str, Any]
    notices: Mapping[int, Notice]
    mails: Mapping[str, Mail]


class Way(Protocol):
    """How a driver's sentences reach the assistant."""

    def say(self, text: str) -> Said:
        """Say a sentence; its reply."""
        ...

    def wait(self, seconds: float, *, goes_on: bool = False) -> None:
        """Time passes; less of it where the driver ``goes_on`` and must not wait for so long."""
        ...


class Fleet:
    """Cars that share encoder, parser and command grammar, and where they are spoken to, ears and voice."""

    def __init__(self, config: Config, folder: Path, organizer: Path = SAMPLE) -> None:
        """Loads the models of a configuration.

        Args:
            config: the whole configuration; vehicle, organizer and where things lie are not taken from it.
            folder: for the vaults, emptied by whoever gave it.
            organizer: the file of contacts, calendar and weather.

        Raises:
            schemas.errors.GloveboxError: a model cannot be had.
        """
        self._config, self._folder = config, folder
        self._organizer = organizer
        self._engines = engines = Engines(config, Catalog.load(config.data))
        self._encoder = engines.encoder()
        self._parser, self._talker = engines.parser(self._encoder), engines.talker()
        self.talks_with = str(engines.choices["talker"].rung)
        self._matchers: dict[bool, TemplateMatcher] = {}
        self._recognizers: dict[bool, Recognizer] = {}
        self._always_on: tuple[WakeWord, Vad] | None = None
        self._mouth: Mouth | None = None

    def close(self) -> None:
        """Let go of the voice, where one was used."""
        if self._mouth is not None:
            self._mouth.voice.close()

    @property
    def heard_with(self) -> str:
        """The recogniser, where one was used."""
        return str(self._engines.choices["asr"].rung) if self._recognizers else ""

    def run(self, cases: Sequence[Case], progress: Progress, speakers: Speakers | None = None) -> Generator[Played]:
        """Say all cases; turn by turn what came of them.

        Args:
            cases: the cases.
            progress: told how far it is.
            speakers: who says them; None: they are typed.

        Raises:
            EvaluationDataError: the setup of a case does not fit the simulated car.
            schemas.errors.GloveboxError: a voice failed, or ears cannot be had.
        """
        what = "dialogues" if speakers is None else f"dialogues, spoken {speakers.noise}"
        if speakers is not None:
            speakers.prepare(cases)
        for done, case in enumerate(cases):
            progress(what, done, len(cases))
            yield from play(self, case, done, speakers)
        progress(what, len(cases), len(cases))

    @contextmanager
    def car(self, case: Case, number: int = 0, speakers: Speakers | None = None) -> Generator[Talk]:
        """A car that starts as a case says, after what was said before it.

        Args:
            case: the case.
            number: of the case, for who says it.
            speakers: who may say it; None: it is typed.

        Raises:
            EvaluationDataError: a signal of the setup is none, or its value does not fit.
        """
        setup = case.setup
        with tempfile.TemporaryDirectory(dir=self._folder) as folder:
            profile, at_s = MOTION[setup.motion]
            config = self._own(Path(folder), profile, mail=setup.mail)
            clock = DriverClock()
            try:
                car = app.open_car(
                    config,
                    self._encoder,
                    clock,
                    self._matchers.get(setup.mail),
                    parser=self._parser,
                    talker=self._talker,
                    initial=setup.state,
                    now=_time_of(clock),
                )
            except AdapterError as error:
                raise EvaluationDataError(f"the case {case.id} cannot be set up: {error}") from None
            try:
                self._matchers[setup.mail] = car.matcher
                clock.advance_to(at_s)
                typed = _Typed(car, clock)
                Talk(car, typed, config.vehicle.outbox).before(setup)
                spoken = speakers and speakers.speaking(
                    self._listening(config, car, mail=setup.mail), clock, case, number
                )
                with spoken or nullcontext(typed) as way:
                    yield Talk(car, way, config.vehicle.outbox, voice=speakers.of(number).name if speakers else "")
            finally:
                car.leave()

    @contextmanager
    def drive(self, folder: Path, began: datetime, *, introduces: bool = False) -> Generator[Talk]:
        """A drive of the driver whose vault is in a folder, by typed words; with its end it is learnt from and thought about.

        Args:
            folder: the same for all drives of one driver.
            began: when it begins, aware.
            introduces: whether a driver of whom nothing is known is offered to be got to know.

        Raises:
            schemas.errors.GloveboxError: a part failed.
        """
        clock = DriverClock()
        profile, at_s = MOTION["town"]
        config = self._own(folder, profile, mail=False)
        car = app.open_car(
            config,
            self._encoder,
            clock,
            self._matchers.get(False),
            parser=self._parser,
            talker=self._talker,
            now=lambda: began + timedelta(seconds=clock.now() - at_s),
            introduces=introduces,
        )
        try:
            self._matchers[False] = car.matcher
            clock.advance_to(at_s)
            car.trip.begin()
            yield Talk(
                car,
                _Typed(car, clock),
                config.vehicle.outbox,
                now=lambda: began + timedelta(seconds=clock.now() - at_s),
            )
            car.trip.end(_unheard)
        finally:
            car.leave()

    def _listening(self, config: Config, car: Car, *, mail: bool) -> Assistant:
        """The assistant in this car, with ears and a voice that are loaded once."""
        if mail not in self._recognizers:
            self._recognizers[mail] = self._engines.recognizer(lambda: car.matcher)
        if self._always_on is None:
            vad = SileroVad(Catalog.load(self._config.data).find(self._config.vad.model))
            self._always_on = self._engines.wake_word(self._recognizers[mail]), vad
        wake, vad = self._always_on
        self._mouth = self._mouth or Mouth(*open_voice(config, self._engines))
        return Assistant(
            config,
            ears=Ears(wake, vad, self._recognizers[mail]),
            mouth=self._mouth,
            car=car,
            another=lambda: car,
            engines=self._engines.choices,
        )

    def _own(self, folder: Path, profile: str, *, mail: bool) -> Config:
        """The configuration with a home of its own and the simulated car; models stay where they are."""
        config = self._config
        data = config.data.model_copy(update={"folder": folder / "data", "key_file": folder / "vault.key"})
        key = config.memory.key.model_copy(update={"source": "file"})
        vehicle = config.vehicle.model_copy(
            update={
                "adapter": "simulated",
                "profile": profile,
                "organizer": self._organizer,
                "outbox": folder / "outbox" if mail else None,
            }
        )
        memory = config.memory.model_copy(update={"key": key})
        return config.model_copy(update={"data": data, "memory": memory, "vehicle": vehicle})


class _Typed:
    """A driver who types; meets `Way`."""

    def __init__(self, car: Car, clock: DriverClock) -> None:
        """A car and its clock."""
        self._dialogue, self._clock = car.dialogue, clock

    def say(self, text: str) -> Said:
        began = time.perf_counter()
        reply = asyncio.run(self._dialogue.respond(self._dialogue.typed(text)))
        return Said(reply.text, time.perf_counter() - began)

    def wait(self, seconds: float, *, goes_on: bool = False) -> None:
        del goes_on
        self._clock.advance_to(self._clock.now() + seconds)


class Talk:
    """A driver who talks to one car."""

    def __init__(
        self, car: Car, way: Way, outbox: Path | None, voice: str = "", now: Callable[[], datetime] = datetime.now
    ) -> None:
        """A car, how words reach it, where its mail goes, who speaks, and the time there."""
        self._car, self._way, self._outbox, self._voice, self._now = car, way, outbox, voice, now
        self._told: dict[str, Any] = {"preferences": [], "consent": {}}

    @property
    def now(self) -> datetime:
        """The time in the car."""
        return self._now()

    def say(self, text: str) -> str:
        """Say a sentence and wait a moment; its reply."""
        said = self._say(text)
        self._way.wait(EARLIER_S)
        return said.reply

    def before(self, setup: Setup) -> None:
        """What was said before the case."""
        for text in setup.said:
            self._say(text)
            self._way.wait(EARLIER_S)
        if setup.said:
            if not setup.continues:
                self._car.dialogue.end_conversation()
            self._way.wait(EARLIER_S)

    def wait(self, seconds: float) -> None:
        """Time passes."""
        self._way.wait(seconds)

    @property
    def memory(self) -> MemoryPort:
        """Of whoever drives."""
        return self._car.seat.memory

    def over(self) -> None:
        """The conversation is over, and what was said in it is learnt."""
        self._car.dialogue.end_conversation()
        self._car.trip.learn(_unheard)

    def turn(self, case: Case, number: int, *, answer: bool = True) -> Played:
        """Say a sentence of a case, and yes to what is offered.

        Args:
            case: the case.
            number: which of its turns.
            answer: False: nobody says yes, because what was offered was something else.
        """
        turn, goes_on = case.turns[number], number + 1 < len(case.turns)
        before = self._look()
        said = self._say(turn.say)
        asked = offers(said.reply)
        accepted = asked and answer and turn.yes
        if not accepted and turn.wait_s is not None:
            self._way.wait(turn.wait_s)
        elif not accepted:
            self._way.wait(UNANSWERED_S if asked else WAIT_S, goes_on=goes_on)
        effects = _effects(before, self._look())
        answered: Answered | None = None
        if accepted:
            replies = self._accept()
            self._way.wait(WAIT_S, goes_on=goes_on)
            answered = Answered(reply=replies, **dict(_effects(before, self._look())))
        result = Result(
            id=case.id,
            turn=number,
            reply=said.reply,
            asked=asked,
            before=dict(before.signals),
            yes=answered,
            voice=self._voice,
            heard=said.heard,
            **dict(effects),
        )
        return Played(case, turn, result, said)

    def _accept(self) -> str:
        """Say yes until nothing is offered any more; all that was replied."""
        replies: list[str] = []
        while len(replies) < YESES:
            self._way.wait(YES_S)
            replies.append(self._say(YES).reply)
            if not offers(replies[-1]):
                break
        return " ".join(replies)

    def _say(self, text: str) -> Said:
        """The reply to a sentence, which is learnt from at once."""
        began = time.perf_counter()
        try:
            said = self._way.say(text.strip())
            self._car.trip.learn(_unheard)
        except Exception as error:  # noqa: BLE001 - whatever fails is a finding, and the other cases go on
            failed = f"{type(error).__name__}: {error}"
            return Said(f"(error: {failed})", time.perf_counter() - began, failed)
        return said

    def _look(self) -> _Look:
        vehicle = self._car.vehicle
        organizer = cast("vehicle_organizer.Organizer", vehicle.organizer)  # a drive's own clock: here, not apart
        values = asyncio.run(vehicle.state()).values
        try:
            told = self._told = self._car.seat.memory.export()
        except ConsentError:  # a guest's memory keeps nothing and hands nothing out
            told = {**self._told, "preferences": []}
        return _Look(
            signals={name: _plain(value) for name, value in values.items() if not drifts(name)},
            kept=frozenset(
                Kept(
                    detail=one["category"].rsplit(".", 1)[-1],
                    value=one["value"],
                    polarity="like" if Sense(one["sense"]).wanted else "dislike",
                )
                for one in told["preferences"]
                if one["valid_to"] is None and one["status"] == "active"
            ),
            consent=dict(told["consent"]),
            notices={
                one.number: Notice(
                    kind=one.kind,
                    label=one.label,
                    minutes=round(organizer.remaining(one) / 60.0, 2),
                    at=f"{one.at:%H:%M}",
                )
                for one in organizer.waiting()
            },
            mails={path.name: _mail(path) for path in sorted(self._outbox.glob("*.eml"))} if self._outbox else {},
        )


def play(fleet: Fleet, case: Case, place: int, speakers: Speakers | None) -> Generator[Played]:
    """The turns of a case, which stands at this place of its suite.

    After a yes to what is wrong the dialogue goes on as if it had not been said.
    """
    accepted: list[bool] = []
    """Of each turn so far, whether its offer is accepted in the dialogue that goes on."""
    while len(accepted) < len(case.turns):
        with fleet.car(case, place, speakers) as talk:
            for number, answer in enumerate(accepted):
                talk.turn(case, number, answer=answer)
            for number in range(len(accepted), len(case.turns)):
                played = talk.turn(case, number)
                yield played
                accepted.append(played.judged is None or played.judged.verdict.well)
                if played.result.yes is not None and not accepted[-1]:
                    break


def _effects(before: _Look, after: _Look) -> Effects:
    return Effects(
        after=dict(after.signals),
        stored=_sorted(after.kept - before.kept),
        removed=_sorted(before.kept - after.kept),
        effects=Beside(
            timers_set=tuple(one for number, one in after.notices.items() if number not in before.notices),
            timers_gone=tuple(one for number, one in before.notices.items() if number not in after.notices),
            mail=tuple(one for name, one in after.mails.items() if name not in before.mails),
            consent={name: value for name, value in after.consent.items() if before.consent.get(name) != value},
        ),
    )


def _sorted(kept: frozenset[Kept]) -> tuple[Kept, ...]:
    return tuple(sorted(kept, key=lambda one: (one.detail, one.value, one.polarity)))


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _mail(path: Path) -> Mail:
    message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    return Mail(to=str(message["To"]), text=message.get_content().strip())


def _time_of(clock: DriverClock) -> Callable[[], datetime]:
    began = BEGAN.astimezone(UTC)
    return lambda: began + timedelta(seconds=clock.now())


def _unheard(entry: TimelineEntry) -> None:
    del entry
