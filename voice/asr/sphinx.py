"""PocketSphinx as a single pass over cepstra: what its recognisers are put together from.

Owns: the engine's settings, dictionaries and scores, and the command grammar as a decoder of its own. Does not own the
comparison of passes (``voice.asr.pocketsphinx``, ``voice.asr.together``), the grammar (``models.commands``) nor the cepstra
(``models.runtime``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import count, takewhile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.commands.matcher import TemplateMatcher
from models.runtime.cepstra import COEFFICIENTS
from models.runtime.denoiser import CepstralStream, Denoiser
from schemas.errors import EngineMissingError, ModelError, ModelMissingError
from schemas.events import SAMPLE_RATE, Samples

WAKE_WORD = "computer"
"""A leading one is dropped; its dictionary entry also has the tails ("-puter", "-ter") that an utterance may begin with."""

CEPSTRAL_MEAN = "57,2,-4.6,21,-5.2,3.9,-3.7,-13,0,-9.4,5.8,-4.9,-2.6"
"""Where live cepstral mean normalisation starts: its value after 15 sentences of three voices in road noise at 25 dB, -20
dBFS, between quiet and a motorway. It adapts and is kept over utterances. First utterances heard exactly by the open model,
of 10 at no noise / 25 dB / 15 dB: 5 / 6 / 9, from the package's own start 2 / 3 / 6."""

SCORE_SHIFT = 1024.0
"""PocketSphinx gives path scores divided by 2^10 (SENSCR_SHIFT in its hmm.h); one frame is then about -0.005."""

BLOCK = 4
"""Frames given at once. The engine keeps features of few (``acmod.c``: 7, and 5 for the look ahead); of 8 at once the open model
makes nothing."""

GRAMMAR_BEAMS = {"beam": 1e-70, "pbeam": 1e-70, "wbeam": 1e-50}
"""How far behind the best a path of the grammar may fall and stay; the engine's 1e-48 and 7e-29 lose the right one in noise. Every
third recorded order to a coffee machine, kitchen noise at 10 dB, grammar alone right: .79, with the engine's .72."""

BEFORE = 12_800
"""Samples before an utterance that are listened to for their noise: .8 s. More would be a wake word's own beginning."""

DICTIONARY, TRIGRAM, NETWORK = "domain.dict", "domain.lm.bin", "noise.npz"
"""Files of a recogniser's folder, as ``models.training.asr`` writes them; the network may be absent."""


class Pass:
    """One decoder of the engine over one utterance after the other."""

    def __init__(self, decoder: Any) -> None:
        """Take over a decoder."""
        self.decoder = decoder
        self._running = False

    def reset(self) -> None:
        """Forget an open utterance and the cepstral mean that it has got used to."""
        if self._running:
            self.end()
        self.decoder.set_cmn(CEPSTRAL_MEAN)

    def start(self) -> None:
        """Begin an utterance; an unfinished one is thrown away."""
        if self._running:
            self.decoder.end_utt()
        self.decoder.start_utt()
        self._running = True

    def take(self, cepstra: NDArray[np.float32]) -> None:
        """Decode the next frames, shape (n, 13)."""
        for start in range(0, len(cepstra), BLOCK):
            # A copy each: the engine subtracts the mean inside the buffer that it gets.
            self.decoder.process_cep(cepstra[start : start + BLOCK].tobytes())

    def end(self) -> None:
        """End the utterance; its words and score stay."""
        self.decoder.end_utt()
        self._running = False

    def text(self) -> str:
        """The words of the best path, without a leading wake word."""
        found = self.decoder.hyp()
        words = found.hypstr.split() if found is not None else []
        while words and words[0] == WAKE_WORD:
            words = words[1:]
        return " ".join(words)

    def score(self) -> float:
        """Log score (natural logarithm) of the best path; a great loss if there is none."""
        found = self.decoder.hyp()
        return math.log(max(found.score, 1e-300)) * SCORE_SHIFT if found is not None else -1e6

    def posterior(self) -> float:
        """Mean word posterior, 0..1; only of a pass that keeps a lattice."""
        words = [segment.prob for segment in self.decoder.seg() or () if not segment.word.startswith(("<", "[", "+"))]
        return min(1.0, sum(words) / len(words)) if words else 0.0


class GrammarEar:
    """The command grammar alone, streaming: samples in, the likeliest sentence of the templates out."""

    def __init__(
        self,
        folder: Path,
        matcher: TemplateMatcher,
        *,
        noise: Path | None = None,
        guess: Callable[[str], str] | None = None,
    ) -> None:
        """Load it (about 0.4 s); arguments and errors as of ``voice.asr.pocketsphinx.PocketSphinxRecognizer``."""
        noise = noise if noise is not None else folder / NETWORK if (folder / NETWORK).is_file() else None
        self.cepstra = CepstralStream(Denoiser(noise) if noise is not None else None)
        self.grammar, self.taught = grammar_pass(folder, matcher, guess)
        """The decoder, and the words that it was taught beside its dictionary."""
        self._running = False

    def reset(self) -> None:
        """Forget an open utterance and the room."""
        self.grammar.reset()
        self._running = False

    def start(self, before: Samples | None = None) -> None:
        """Begin an utterance; what was heard before shows the noise."""
        self.grammar.start()
        self.cepstra.reset()
        if before is not None:
            self.cepstra.warm(before[-BEFORE:])
        self._running = True

    def feed(self, chunk: Samples) -> NDArray[np.float32]:
        """Take the next samples; the cepstra that they gave, for another pass on the same sound."""
        if not self._running:
            self.start()
        return self._through(self.cepstra.push(chunk))

    def text(self) -> str:
        """The words so far; after ``stop`` those of the whole utterance."""
        return self.grammar.text()

    def rest(self) -> NDArray[np.float32]:
        """Take the frames that were waiting for a look ahead; their cepstra. Nothing may be fed after it."""
        return self._through(self.cepstra.rest()) if self._running else np.zeros((0, COEFFICIENTS), np.float32)

    def stop(self) -> None:
        """End the utterance; the words and the score of ``grammar`` stay.

        Raises:
            RuntimeError: the engine failed.
        """
        if self._running:
            self.grammar.end()
        self._running = False

    def _through(self, cepstra: NDArray[np.float32]) -> NDArray[np.float32]:
        self.grammar.take(cepstra)
        return cepstra


def grammar_pass(
    folder: Path, matcher: TemplateMatcher, guess: Callable[[str], str] | None
) -> tuple[Pass, list[tuple[str, str]]]:
    """The decoder that follows the closed templates and hears nothing else, and the words with phones that it was taught.

    Raises:
        schemas.errors.EngineMissingError: pocketsphinx is not installed.
        schemas.errors.ModelMissingError: the dictionary is missing in the folder.
        schemas.errors.ModelError: a word of the templates has no pronunciation, or the engine refuses its files.
    """
    decoder = _decoder(folder, (DICTIONARY,), lm=None, bestpath=False, fsgusealtpron=False, **GRAMMAR_BEAMS)
    try:
        found = Pass(decoder)
        taught = _spelt(folder, decoder, matcher, guess)
        add_words(found, taught, update=False)
        _load_grammar(decoder, matcher)
    except RuntimeError as error:
        raise ModelError(f"pocketsphinx cannot use the files in {folder}: {error}") from error
    return found, taught


def open_pass(folder: Path) -> Pass:
    """The decoder of the domain's trigram; errors as of ``grammar_pass``."""
    # The second pass over the whole utterance (fwdflat) would come after its end.
    return Pass(_decoder(folder, (DICTIONARY, TRIGRAM), lm=str(folder / TRIGRAM), fwdflat=False))


def add_words(to: Pass, words: Sequence[tuple[str, str]], *, update: bool) -> None:
    """Make words with their phones known to a pass; ``update`` where it already has a model that is to take them up (slow)."""
    for number, (word, phones) in enumerate(words, 1):
        to.decoder.add_word(word, phones, update and number == len(words))


def _spelt(
    folder: Path, decoder: Any, matcher: TemplateMatcher, guess: Callable[[str], str] | None
) -> list[tuple[str, str]]:
    """Words of the templates that the decoder's dictionary lacks, with their phones.

    Raises:
        schemas.errors.ModelError: one has no pronunciation anywhere, and there is no ``guess``.
    """
    import pocketsphinx

    vocabulary = matcher.templates.vocabulary() | {WAKE_WORD}
    unknown = {word for word in vocabulary if decoder.lookup_word(word) is None}
    known = _pronunciations(Path(pocketsphinx.get_model_path("en-us/cmudict-en-us.dict")), unknown)
    rest = sorted(unknown - {word for word, _ in known})
    if rest and guess is None:
        raise ModelError(f"no pronunciation for {', '.join(rest[:5])}; add it to {folder / DICTIONARY}")
    return known + [(word, guess(word)) for word in rest if guess is not None]


def _decoder(folder: Path, needed: tuple[str, ...], **settings: Any) -> Any:
    try:
        import pocketsphinx
    except ImportError as error:
        raise EngineMissingError("pocketsphinx is not installed; run: pip install pocketsphinx") from error
    for name in needed:
        if not (folder / name).is_file():
            raise ModelMissingError(
                f"{folder / name} is missing; make it with python -m models.training.asr.build --out {folder}"
            )
    try:
        return pocketsphinx.Decoder(
            hmm=pocketsphinx.get_model_path("en-us/en-us"), dict=str(folder / DICTIONARY), samprate=SAMPLE_RATE,
            cmninit=CEPSTRAL_MEAN, loglevel="FATAL",
            # Scores are relative to the best sound unit of each frame. Only with all units computed is that the same unit in
            # every decoder and the scores comparable; without, the margin does not tell commands from the rest.
            compallsen=True, **settings,
        )  # fmt: skip
    except RuntimeError as error:
        raise ModelError(f"pocketsphinx cannot use the files in {folder}: {error}") from error


def _load_grammar(decoder: Any, matcher: TemplateMatcher) -> None:
    graph = matcher.graph.bare()
    first, last = len(graph.arcs), len(graph.arcs) + 1
    ways: dict[str, list[str]] = {}
    transitions: list[tuple[int, int, float] | tuple[int, int, float, str]] = []
    for source, target, word in [*graph.transitions(), (first, 0, WAKE_WORD)]:
        if word not in ways:
            ways[word] = _ways(decoder, word)
        transitions += [(source, target, 1.0, way) for way in ways[word]]
    transitions.append((first, 0, 1.0))
    transitions += [(state, last, 1.0) for state in graph.final()]
    decoder.add_fsg("commands", decoder.create_fsg("commands", first, last, transitions))
    decoder.activate_search("commands")


def _ways(decoder: Any, word: str) -> list[str]:
    """The dictionary's entries of a word, one for each way to say it.

    The engine can add the further ones by itself (``fsgusealtpron``), but looks through every state for each: 1.0 s of the 1.1 that
    the grammar took. An arc for each of them is the same graph.
    """
    further = takewhile(decoder.lookup_word, (f"{word}({number})" for number in count(2)))
    return [word, *further]


def _pronunciations(cmudict: Path, words: set[str]) -> list[tuple[str, str]]:
    if not words:
        return []
    lines = (line.split(None, 1) for line in cmudict.read_text(encoding="utf-8").splitlines())
    return [(word, phones.strip()) for word, phones in lines if word in words]
