"""PocketSphinx with two decoders on the same sound: the command grammar, and the domain's trigram beside it.

Owns: streaming both, and the comparison that says whether the grammar was meant. A grammar alone accepts most of what
is not in it (research: 4 of 5 sentences); so its text counts only if it is a complete parse *and* what the open model heard
does not speak against it. Both get the same cepstra, made here once and freed of noise where the folder has a network for it.
Does not own the grammar (``models.commands``), the trigram (``models.training.asr``) nor the cepstra (``models.runtime``).

The binding holds Python's interpreter lock while it decodes, so two threads would gain nothing: the decoders run one after
the other on each chunk, and ``finish`` has only their last frames left to do.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Indel

from models.commands.matcher import TemplateMatcher
from models.runtime.denoiser import CepstralStream, Denoiser
from models.runtime.phonemes import by_espeak
from schemas.errors import EngineMissingError, ModelError, ModelMissingError
from schemas.events import SAMPLE_RATE, Hypothesis, Samples, Transcript
from voice.asr import Hearing

WAKE_WORD = "computer"
"""A leading one is dropped; its dictionary entry also has the tails ("-puter", "-ter") that an utterance may begin with."""

CEPSTRAL_MEAN = "57,2,-4.6,21,-5.2,3.9,-3.7,-13,0,-9.4,5.8,-4.9,-2.6"
"""Where live cepstral mean normalisation starts: its value after 15 sentences of three voices in road noise at 25 dB, -20
dBFS, between quiet and a motorway. It adapts and is kept over utterances. First utterances heard exactly by the open model,
of 10 at no noise / 25 dB / 15 dB: 5 / 6 / 9, from the package's own start 2 / 3 / 6."""

SCORE_SHIFT = 1024.0
"""PocketSphinx gives path scores divided by 2^10 (SENSCR_SHIFT in its hmm.h); one frame is then about -0.005."""

FRAMES_A_SECOND = 100

BLOCK = 4
"""Frames given at once. The engine keeps features of few (``acmod.c``: 7, and 5 for the look ahead); of 8 at once the open model
makes nothing."""

PARTIAL_ALIKE = 0.6
"""Likeness of both models' words from which on a complete command of the grammar is taken for what is being said."""


GRAMMAR_BEAMS = {"beam": 1e-70, "pbeam": 1e-70, "wbeam": 1e-50}
"""How far behind the best a path of the grammar may fall and stay; the engine's 1e-48 and 7e-29 lose the right one in noise. Every
third recorded order to a coffee machine, kitchen noise at 10 dB, grammar alone right: .79, with the engine's .72."""


BEFORE = 12_800
"""Samples before an utterance that are listened to for their noise: .8 s. More would be a wake word's own beginning."""


@dataclass(frozen=True, slots=True)
class PocketSphinxSettings:
    """What was chosen by measurement (``python -m deploy.bench.recognition``)."""

    accept_at: float = 0.5
    """Least probability that the grammar's command is what was said. On the voices of the fit: commands accepted right .84 /
    wrong .02 at .5, .72 / .02 at .7; other sentences accepted .006 and .002."""
    alike_at: float = 0.5
    """Unless both models' texts are the same command: least likeness of their words. Real voices that say one word that is
    no command ("jarvis", "alexa", "computer") were taken for one in 20 of 60 clips without this limit; it costs .025 of the
    commands."""
    alike_long_at: float = 0.4
    """The same where the grammar's text is long: in noise the open model errs in many of its words."""
    long_words: int = 7
    """Words from which on a text is long. Nothing so long is taken for a single word that was called."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for the grammar and what against, of one utterance."""

    parses: bool
    """The grammar's text is a complete command."""
    same_words: float
    """Likeness of the two texts, word for word, 0..1 (insertions and deletions over the words of both)."""
    same_command: bool
    """The open model's text parses too, and to the same command."""
    margin: float
    """Log score a frame, grammar less open model: about 0 for commands, -1 to -4 for what the grammar does not have. The
    open model pays for its words and still is freer."""
    posterior: float
    """Mean word posterior of the open model's text, 0..1."""
    words: int
    """Words of the grammar's text."""


class PocketSphinxRecognizer:
    """``schemas.ports.Recognizer`` for a closed grammar and free speech of the domain."""

    def __init__(
        self,
        folder: Path,
        matcher: TemplateMatcher,
        settings: PocketSphinxSettings | None = None,
        *,
        noise: Path | None = None,
        guess: Callable[[str], str] | None = None,
    ) -> None:
        """Load both decoders (about 0.3 s).

        Args:
            folder: holds ``domain.dict`` and ``domain.lm.bin``, as ``models.training.asr.build`` writes them.
            matcher: the commands; its templates become the grammar.
            settings: thresholds.
            noise: the network that takes noise out of the cepstra, as ``models.training.asr.denoise`` writes it; None for the
                folder's ``noise.npz``, or none if it has none.
            guess: says in CMUdict's phones how a word sounds that no dictionary has, such as a contact's name; None: such a
                word is an error.

        Raises:
            schemas.errors.EngineMissingError: pocketsphinx is not installed.
            schemas.errors.ModelMissingError: a file is missing in the folder.
            schemas.errors.ModelError: a word of the templates has no pronunciation, or the engine refuses its files.
        """
        try:
            import pocketsphinx
        except ImportError as error:
            raise EngineMissingError("pocketsphinx is not installed; run: pip install pocketsphinx") from error
        for name in ("domain.dict", "domain.lm.bin"):
            if not (folder / name).is_file():
                raise ModelMissingError(
                    f"{folder / name} is missing; make it with python -m models.training.asr.build --out {folder}"
                )
        self._matcher, self._guess = matcher, guess
        self._settings = settings or PocketSphinxSettings()
        shared: dict[str, Any] = {
            "hmm": pocketsphinx.get_model_path("en-us/en-us"), "dict": str(folder / "domain.dict"), "samprate": SAMPLE_RATE,
            "cmninit": CEPSTRAL_MEAN, "loglevel": "FATAL",
            # Scores are relative to the best sound unit of each frame. Only with all units computed is that the same unit in
            # both decoders and the scores comparable; without, the margin does not tell commands from the rest.
            "compallsen": True,
        }  # fmt: skip
        if noise is None and (folder / "noise.npz").is_file():
            noise = folder / "noise.npz"
        self._cepstra = CepstralStream(Denoiser(noise) if noise is not None else None)
        try:
            # The second pass over the whole utterance (fwdflat) would come after its end; the grammar needs no lattice.
            self._grammar: Any = pocketsphinx.Decoder(**shared, **GRAMMAR_BEAMS, lm=None, bestpath=False)
            self._open: Any = pocketsphinx.Decoder(**shared, lm=str(folder / "domain.lm.bin"), fwdflat=False)
            self._load_grammar(Path(pocketsphinx.get_model_path("en-us/cmudict-en-us.dict")))
        except RuntimeError as error:
            raise ModelError(f"pocketsphinx cannot use the files in {folder}: {error}") from error
        self._running = False
        self._samples = 0
        self._open_score = 0.0

    def reset(self) -> None:
        """Forget an open utterance, and the cepstral mean that both decoders have got used to."""
        for decoder in (self._grammar, self._open):
            if self._running:
                decoder.end_utt()
            decoder.set_cmn(CEPSTRAL_MEAN)
        self._running = False

    def start(self, before: Samples | None = None) -> None:
        """Begin an utterance; an unfinished one is thrown away. What was heard before shows the noise."""
        for decoder in (self._grammar, self._open):
            if self._running:
                decoder.end_utt()
            decoder.start_utt()
        self._cepstra.reset()
        if before is not None:
            self._cepstra.warm(before[-BEFORE:])
        self._running = True
        self._samples = 0

    def feed(self, chunk: Samples) -> None:
        """Take the next samples of the utterance (any number)."""
        if not self._running:
            self.start()
        self._samples += len(chunk)
        self._decode(self._cepstra.push(chunk))

    def pause(self) -> None:
        """Nothing to do: both decoders have heard all that was fed but the few frames that are looked ahead."""

    def partial(self) -> str:
        """The words so far: the grammar's where they are a complete command that the open model nearly agrees with.

        The open model alone errs in a word ("suits the volume to forty percent") more often than the grammar does, and then
        the utterance would wait for the long silence.
        """
        if not self._running:
            return ""
        grammar, free = _text(self._grammar), _text(self._open)
        alike = Indel.normalized_similarity(grammar.split(), free.split())
        return grammar if alike >= PARTIAL_ALIKE and self._matcher.match(grammar) is not None else free

    def finish(self) -> Transcript:
        """End the utterance and decide between the two models.

        Raises:
            schemas.errors.ModelError: the engine failed.
        """
        if not self._running:
            return Transcript(text="", confidence=0.0, in_grammar=False)
        self._running = False
        try:
            self._decode(self._cepstra.rest())
            # Ending the utterance replaces the open model's path score by one of its word lattice, which is scaled otherwise.
            self._open_score = _score(self._open)
            self._grammar.end_utt()
            self._open.end_utt()
            return self._decided()
        except RuntimeError as error:
            raise ModelError(f"pocketsphinx failed: {error}") from error

    def evidence(self) -> Evidence:
        """What speaks for the grammar's text; of the utterance that ``finish`` has just ended."""
        grammar, free = _text(self._grammar), _text(self._open)
        command = self._matcher.match(grammar)
        frames = max(1, self._samples * FRAMES_A_SECOND // SAMPLE_RATE)
        return Evidence(
            parses=command is not None,
            same_words=Indel.normalized_similarity(grammar.split(), free.split()),
            same_command=command is not None and self._matcher.match(free) == command,
            margin=(_score(self._grammar) - self._open_score) / frames,
            posterior=_posterior(self._open),
            words=len(grammar.split()),
        )

    def _decided(self) -> Transcript:
        grammar, free = _text(self._grammar), _text(self._open)
        evidence = self.evidence()
        likely = accepted_probability(evidence)
        agreed = evidence.same_command or alike_enough(evidence, self._settings)
        won = agreed and likely >= self._settings.accept_at
        return Transcript(
            text=grammar if won else free,
            confidence=likely if won else heard_probability(evidence) if free else 0.0,
            in_grammar=won,
            grammar=Hypothesis(text=grammar, log_score=_score(self._grammar)),
            open=Hypothesis(text=free, log_score=self._open_score),
            seconds=self._samples / SAMPLE_RATE,
        )

    def _decode(self, cepstra: NDArray[np.float32]) -> None:
        for start in range(0, len(cepstra), BLOCK):
            block = cepstra[start : start + BLOCK]
            for decoder in (self._grammar, self._open):
                decoder.process_cep(
                    block.tobytes()
                )  # a copy each: the engine subtracts the mean inside the buffer it gets

    def _add(self, words: list[tuple[str, str]]) -> None:
        """Make words known to both decoders, so that they can agree on them; taking them up costs the open one some time."""
        for word, phones in words:
            self._grammar.add_word(word, phones, False)
            self._open.add_word(word, phones, word == words[-1][0])

    def _load_grammar(self, cmudict: Path) -> None:
        vocabulary = self._matcher.templates.vocabulary() | {WAKE_WORD}
        unknown = {word for word in vocabulary if self._grammar.lookup_word(word) is None}
        known = _pronunciations(cmudict, unknown)
        rest = sorted(unknown - {word for word, _ in known})
        self._add(known + ([(word, self._guess(word)) for word in rest] if self._guess is not None else []))
        if missing := sorted(word for word in unknown if self._grammar.lookup_word(word) is None):
            raise ModelError(f"no pronunciation for {', '.join(missing[:5])}; add it to the folder's domain.dict")
        graph = self._matcher.graph.bare()
        first, last = len(graph.arcs), len(graph.arcs) + 1
        transitions: list[tuple[int, int, float] | tuple[int, int, float, str]] = [
            (source, target, 1.0, word) for source, target, word in graph.transitions()
        ]
        transitions += [(first, 0, 1.0), (first, 0, 1.0, WAKE_WORD)]
        transitions += [(state, last, 1.0) for state in graph.final()]
        self._grammar.add_fsg("commands", self._grammar.create_fsg("commands", first, last, transitions))
        self._grammar.activate_search("commands")


FEATURES = ("same words", "same command", "margin", "posterior", "words")
"""What the weights below belong to, in this order, after a constant."""

ACCEPT = (-1.24, 1.8, 0.92, 3.96, 0.82, 1.03)
"""Fitted on eight voices at 15 dB: 576 utterances of all kinds and 160 of one or two foreign words
(``python -m deploy.bench.recognition --fit --sentences 12``, and ``--kinds call --sentences 20``). Of those given .1 to .3 / .5
to .7 / .9 to .97, .05 / .81 / .98 were right: it is a probability."""
HEARD = (-4.43, 0.97, 1.96, -0.15, 6.54, -0.65)
"""From the same utterances. Of those given .1 to .2 / .35 to .5 / .7 to .9, .14 / .33 / .94 were heard."""


def opened(hearing: Hearing) -> PocketSphinxRecognizer:
    """The recogniser of the table, with this project's models of the domain; names that no dictionary has are guessed."""
    return PocketSphinxRecognizer(hearing.find("asr-domain"), hearing.matcher, guess=by_espeak)


def features(evidence: Evidence) -> tuple[float, ...]:
    """The evidence as numbers of about the same size, in the order of ``FEATURES``."""
    margin = min(1.0, max(-4.0, evidence.margin))
    return (
        evidence.same_words, float(evidence.same_command), margin, evidence.posterior, min(evidence.words, 8) / 8.0,
    )  # fmt: skip


def alike_enough(evidence: Evidence, settings: PocketSphinxSettings) -> bool:
    """Whether both texts share as many words as a text of this length must."""
    least = settings.alike_long_at if evidence.words >= settings.long_words else settings.alike_at
    return evidence.same_words >= least


def accepted_probability(evidence: Evidence) -> float:
    """Probability that the grammar's command is what was said; 0 if its text is no complete command."""
    return _logistic(ACCEPT, evidence) if evidence.parses else 0.0


def heard_probability(evidence: Evidence) -> float:
    """Probability that at least three of four words of the open model's text are what was said."""
    return _logistic(HEARD, evidence)


def _logistic(weights: tuple[float, ...], evidence: Evidence) -> float:
    total = weights[0] + sum(weight * value for weight, value in zip(weights[1:], features(evidence), strict=True))
    return 1.0 / (1.0 + math.exp(-min(30.0, max(-30.0, total))))


def _pronunciations(cmudict: Path, words: set[str]) -> list[tuple[str, str]]:
    if not words:
        return []
    lines = (line.split(None, 1) for line in cmudict.read_text(encoding="utf-8").splitlines())
    return [(word, phones.strip()) for word, phones in lines if word in words]


def _text(decoder: Any) -> str:
    found = decoder.hyp()
    words = found.hypstr.split() if found is not None else []
    while words and words[0] == WAKE_WORD:
        words = words[1:]
    return " ".join(words)


def _score(decoder: Any) -> float:
    """Log score (natural logarithm) of the best path; a great loss if there is none."""
    found = decoder.hyp()
    return math.log(max(found.score, 1e-300)) * SCORE_SHIFT if found is not None else -1e6


def _posterior(decoder: Any) -> float:
    words = [segment.prob for segment in decoder.seg() or () if not segment.word.startswith(("<", "[", "+"))]
    return min(1.0, sum(words) / len(words)) if words else 0.0
