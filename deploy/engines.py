"""The best engine that is there: for the recogniser, the voice and small talk a ladder each, tried from the top.

Owns the order and what is told of it. What stands on the ladder are the engines of ``voice.asr`` and ``voice.tts`` with the
models that the configuration prefers, and last what the repository carries; so a better model that is missing, damaged or
foreign stops nothing. The parser is the one that Glovebox carries. The engines themselves are made where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from deploy.config import Config
from models.acts.pointing import PointingParser, WordStates
from models.acts.talk import CONTEXT, Talker
from models.catalog import Catalog, Model
from models.commands.matcher import TemplateMatcher
from models.runtime.llamacpp import LlamaCppModel
from models.runtime.onnx_encoder import OnnxEncoder
from schemas.errors import ModelError
from schemas.ports import ActParser, Recognizer, Synthesizer, WakeWord
from voice.asr import RECOGNIZERS, Hearing
from voice.engines import opened
from voice.tts import SYNTHESIZERS, Speaking
from voice.wake import WAKE_WORDS, SecondEar, Waking

Part = TypeVar("Part")
Role = Literal["asr", "tts", "talker"]
ROLES: tuple[Role, ...] = ("asr", "tts", "talker")
NAMES: dict[str, str] = {"asr": "Recogniser", "tts": "Voice", "talker": "Small talk"}
LAST: dict[Role, str] = {"asr": "pocketsphinx", "tts": "espeak", "talker": "sentences"}
"""The engine that is always there and takes no model; for small talk sentences of ours."""
PARSER = "acts-small"
"""What understands free words: the model that comes with Glovebox."""


@dataclass(frozen=True, slots=True)
class Rung:
    """One step of a ladder."""

    engine: str
    model: str | None = None
    """A model's id, or its path; None for an engine that takes none."""

    def __str__(self) -> str:
        """The model where there is one, else the engine."""
        return self.model or self.engine


@dataclass(frozen=True, slots=True)
class Choice:
    """Which rung is used, and what was better and is not there."""

    role: Role
    rung: Rung
    missed: tuple[tuple[Rung, str], ...] = ()
    """Better rungs, best first, each with the reason."""
    without: str = ""
    """A sentence about what the chosen one does without; empty where it has all."""

    def told(self) -> str:
        """One line for a person about better rungs; empty where the best is used."""
        if not self.missed:
            return ""
        best, reason = self.missed[0]
        return f"{NAMES[self.role]}: {self.rung} instead of {best}: {reason}"


def ladder(config: Config, role: Role) -> tuple[Rung, ...]:
    """The rungs of a role, best first; the last is what Glovebox carries."""
    return tuple(dict.fromkeys(_rungs(config, role)))


def _rungs(config: Config, role: Role) -> Iterator[Rung]:
    if role == "talker":
        yield from (Rung("llamacpp", model) for model in config.talker.model)
        yield Rung(LAST[role])
        return
    section, table = (config.asr, RECOGNIZERS) if role == "asr" else (config.tts, SYNTHESIZERS)
    if table.takes_model(section.engine):
        yield from (Rung(section.engine, model) for model in section.model)
    else:
        yield Rung(section.engine)
    yield Rung(LAST[role])


def standing(config: Config, catalog: Catalog, role: Role) -> Choice:
    """What would be chosen, as far as can be told without loading anything: packages and files, not what is in them."""
    *better, last = ladder(config, role)
    missed: list[tuple[Rung, str]] = []
    for rung in better:
        try:
            look(catalog, role, rung)
        except ModelError as error:
            missed.append((rung, str(error)))
            continue
        return Choice(role, rung, tuple(missed))
    return Choice(role, last, tuple(missed))


def look(catalog: Catalog, role: Role, rung: Rung) -> None:
    """Look whether a rung's package and files are there.

    Raises:
        schemas.errors.ModelError: one is not, or a file is damaged.
    """
    if role in ("asr", "tts"):
        (RECOGNIZERS if role == "asr" else SYNTHESIZERS).require(rung.engine)
    if rung.model is not None:
        catalog.find(rung.model)


def wanted(config: Config, catalog: Catalog) -> tuple[Model, ...]:
    """The models that are worth fetching for this configuration, whether or not they are there.

    For the recogniser, the voice and small talk: the best that can be fetched, unless a better one is there; none where the package
    that runs them is not installed.
    """
    names: list[str] = []
    for role in ROLES:
        for rung in ladder(config, role):
            if rung.model is None or "/" in rung.model:
                continue
            try:
                if role != "talker":
                    (RECOGNIZERS if role == "asr" else SYNTHESIZERS).require(rung.engine)
                model = catalog.model(rung.model)
            except ModelError:
                continue
            if model.ways:
                names.append(model.id)
            if model.ways or catalog.present(model):
                break
    return tuple(catalog.model(name) for name in dict.fromkeys(names))


class Engines:
    """Opens the engines of a configuration.

    Attributes:
        choices: what was chosen so far, by role.
    """

    def __init__(self, config: Config, catalog: Catalog) -> None:
        """Nothing is opened yet."""
        self.config, self._catalog = config, catalog
        self.choices: dict[Role, Choice] = {}

    def told(self) -> tuple[str, ...]:
        """A line for each role whose best engine is not used, and for what an engine does without."""
        chosen = [self.choices[role] for role in ROLES if role in self.choices]  # whichever was opened first
        return tuple(line for choice in chosen for line in (choice.told(), choice.without) if line)

    def wake_word(self, recognizer: object = None) -> WakeWord:
        """What finds the wake word; a recogniser that can tell whether it hears a word is asked in doubt.

        Raises:
            schemas.errors.ModelError: it cannot be had.
        """
        settings = self.config.wake
        model = self._catalog.find(settings.model) if WAKE_WORDS.takes_model(settings.engine) else None
        second = recognizer if isinstance(recognizer, SecondEar) else None
        waking = Waking(settings.keyword, settings.threshold, settings.refractory_s, model, second, settings.remote)
        return opened(WAKE_WORDS, settings.engine, waking)

    def recognizer(self, commands: Callable[[], TemplateMatcher]) -> Recognizer:
        """The recogniser.

        Args:
            commands: gives what can be said; it is waited for as late as can be.

        Raises:
            schemas.errors.ModelError: not even the last can be used.
        """
        find, threads, remote = self._catalog.find, self.config.asr.threads, self.config.asr.remote
        without: list[str] = []

        def open_(rung: Rung) -> Recognizer:
            without.clear()
            model = None if rung.model is None else find(rung.model)
            hearing = Hearing(commands, find, threads, model, without.append, remote, self.config.data.computed)
            return opened(RECOGNIZERS, rung.engine, hearing)

        recognizer = self._climb("asr", open_)
        self.choices["asr"] = replace(self.choices["asr"], without=" ".join(without))
        return recognizer

    def synthesizer(self) -> Synthesizer:
        """The voice.

        Raises:
            schemas.errors.ModelError: not even the last can be used.
        """
        settings = self.config.tts

        def open_(rung: Rung) -> Synthesizer:
            model = None if rung.model is None else self._catalog.find(rung.model)
            speaking = Speaking(settings.voice, settings.speed_wpm, settings.pitch, model, settings.remote)
            return opened(SYNTHESIZERS, rung.engine, speaking)

        return self._climb("tts", open_)

    def encoder(self) -> OnnxEncoder:
        """What turns text into vectors, for memory and for the small networks.

        Raises:
            schemas.errors.ModelError: it cannot be had.
        """
        settings = self.config.encoder
        return OnnxEncoder(self._catalog.find(settings.model), threads=settings.threads)

    def parser(self, encoder: WordStates) -> ActParser:
        """What understands what is no complete command.

        Args:
            encoder: whose states of words it reads.

        Raises:
            schemas.errors.ModelError: it cannot be had.
        """
        return PointingParser(self._catalog.find(PARSER), encoder)

    def talker(self) -> Talker | None:
        """What answers small talk: the first of the language models that is there; None: sentences of ours do."""
        settings = self.config.talker

        def open_(rung: Rung) -> Talker | None:
            if rung.model is None:
                return None
            path, adapter = self._catalog.find(rung.model), self._catalog.find(settings.adapter)
            model = LlamaCppModel(
                path, adapter=adapter, threads=settings.threads, context_tokens=CONTEXT, gpu_layers=settings.gpu_layers
            )
            return Talker(model)

        return self._climb("talker", open_)

    def _climb(self, role: Role, open_: Callable[[Rung], Part]) -> Part:
        """The first rung that can be opened; of the last one the error is raised."""
        *better, last = ladder(self.config, role)
        missed: list[tuple[Rung, str]] = []
        for rung in better:
            try:
                part = open_(rung)
            except ModelError as error:
                missed.append((rung, str(error)))
                continue
            self.choices[role] = Choice(role, rung, tuple(missed))
            return part
        part = open_(last)
        self.choices[role] = Choice(role, last, tuple(missed))
        return part
