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

from rapidfuzz.distance import Indel

from models.commands.matcher import TemplateMatcher
from models.runtime.phonemes import by_espeak
from schemas.errors import ModelError
from schemas.events import SAMPLE_RATE, Hypothesis, Samples, Transcript
from voice.asr import Hearing
from voice.asr.sphinx import GrammarEar, add_words, open_pass

FRAMES_A_SECOND = 100

PARTIAL_ALIKE = 0.6
"""Likeness of both models' words from which on a complete command of the grammar is taken for what is being said."""

ACCEPT_AT = 0.5
"""Least probability that the grammar's command is what was said, by measurement as the following
(``python -m deploy.lab.recogniser.recognition``). On the voices of the fit: commands accepted right .84 /
wrong .02 at .5, .72 / .02 at .7; other sentences accepted .006 and .002."""
ALIKE_AT = 0.5
"""Unless both models' texts are the same command: least likeness of their words. Real voices that say one word that is
no command ("jarvis", "alexa", "computer") were taken for one in 20 of 60 clips without this limit; it costs .025 of the
commands."""
ALIKE_LONG_AT = 0.4
"""The same where the grammar's text is long: in noise the open model errs in many of its words."""
LONG_WORDS = 7
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
        *,
        noise: Path | None = None,
        guess: Callable[[str], str] | None = None,
    ) -> None:
        """Load both decoders (about 0.3 s).

        Args:
            folder: holds ``domain.dict`` and ``domain.lm.bin``, as ``models.training.asr.build`` writes them.
            matcher: the commands; its templates become the grammar.
            noise: the network that takes noise out of the cepstra, as ``models.training.asr.denoise`` writes it; None for the
                folder's ``noise.npz``, or none if it has none.
            guess: says in CMUdict's phones how a word sounds that no dictionary has, such as a contact's name; None: such a
                word is an error.

        Raises:
            schemas.errors.EngineMissingError: pocketsphinx is not installed.
            schemas.errors.ModelMissingError: a file is missing in the folder.
            schemas.errors.ModelError: a word of the templates has no pronunciation, or the engine refuses its files.
        """
        self._matcher = matcher
        self._ear = GrammarEar(folder, matcher, noise=noise, guess=guess)
        self._open = open_pass(folder)
        self._grammar = self._ear.grammar
        # Both must know the words, so that they can agree on them.
        add_words(self._open, self._ear.taught, update=True)
        self._running = False
        self._samples = 0
        self._open_score = 0.0

    def reset(self) -> None:
        """Forget an open utterance, and the cepstral mean that both decoders have got used to."""
        self._ear.reset()
        self._open.reset()
        self._running = False

    def start(self, before: Samples | None = None) -> None:
        """Begin an utterance; an unfinished one is thrown away. What was heard before shows the noise."""
        self._ear.start(before)
        self._open.start()
        self._running = True
        self._samples = 0

    def feed(self, chunk: Samples) -> None:
        """Take the next samples of the utterance (any number)."""
        if not self._running:
            self.start()
        self._samples += len(chunk)
        self._open.take(self._ear.feed(chunk))

    def hear(self) -> Transcript | None:
        """Nothing before `pause`: both decoders have their words at once."""
        return None

    def pause(self) -> None:
        """Nothing to do: both decoders have heard all that was fed but the few frames that are looked ahead."""

    def partial(self) -> str:
        """The words so far: the grammar's where they are a complete command that the open model nearly agrees with.

        The open model alone errs in a word ("suits the volume to forty percent") more often than the grammar does, and then
        the utterance would wait for the long silence.
        """
        if not self._running:
            return ""
        grammar, free = self._grammar.text(), self._open.text()
        return grammar if trusted(grammar, free) and self._matcher.match(grammar) is not None else free

    def likely(self) -> Transcript | None:
        """The words so far, with no word of how sure they are."""
        words = self.partial()
        known = bool(words) and self._matcher.match(words) is not None
        return Transcript(text=words, confidence=float(known), in_grammar=known) if words else None

    def followed(self) -> str:
        """What the grammar alone makes of the sound so far, whether or not the open model agrees."""
        return self._grammar.text()

    def finish(self) -> Transcript:
        """End the utterance and decide between the two models.

        Raises:
            schemas.errors.ModelError: the engine failed.
        """
        if not self._running:
            return Transcript(text="", confidence=0.0, in_grammar=False)
        self._running = False
        try:
            self._open.take(self._ear.rest())
            # Ending the utterance replaces the open model's path score by one of its word lattice, which is scaled otherwise.
            self._open_score = self._open.score()
            self._ear.stop()
            self._open.end()
            return self._decided()
        except RuntimeError as error:
            raise ModelError(f"pocketsphinx failed: {error}") from error

    def evidence(self) -> Evidence:
        """What speaks for the grammar's text; of the utterance that ``finish`` has just ended."""
        grammar, free = self._grammar.text(), self._open.text()
        command = self._matcher.match(grammar)
        frames = max(1, self._samples * FRAMES_A_SECOND // SAMPLE_RATE)
        return Evidence(
            parses=command is not None,
            same_words=Indel.normalized_similarity(grammar.split(), free.split()),
            same_command=command is not None and self._matcher.match(free) == command,
            margin=(self._grammar.score() - self._open_score) / frames,
            posterior=self._open.posterior(),
            words=len(grammar.split()),
        )

    def _decided(self) -> Transcript:
        grammar, free = self._grammar.text(), self._open.text()
        evidence = self.evidence()
        likely = accepted_probability(evidence)
        agreed = evidence.same_command or alike_enough(evidence)
        won = agreed and likely >= ACCEPT_AT
        return Transcript(
            text=grammar if won else free,
            confidence=likely if won else heard_probability(evidence) if free else 0.0,
            in_grammar=won,
            grammar=Hypothesis(text=grammar, log_score=self._grammar.score()),
            open=Hypothesis(text=free, log_score=self._open_score),
            seconds=self._samples / SAMPLE_RATE,
        )


FEATURES = ("same words", "same command", "margin", "posterior", "words")
"""What the weights below belong to, in this order, after a constant."""

ACCEPT = (-1.24, 1.8, 0.92, 3.96, 0.82, 1.03)
"""Fitted on eight voices at 15 dB: 576 utterances of all kinds and 160 of one or two foreign words
(``python -m deploy.lab.recogniser.recognition --fit --sentences 12``, and ``--kinds call --sentences 20``). Of those
given .1 to .3 / .5 to .7 / .9 to .97, .05 / .81 / .98 were right: it is a probability."""
HEARD = (-4.43, 0.97, 1.96, -0.15, 6.54, -0.65)
"""From the same utterances. Of those given .1 to .2 / .35 to .5 / .7 to .9, .14 / .33 / .94 were heard."""


def trusted(grammar: str, free: str) -> bool:
    """Whether the open model's words nearly agree with the grammar's."""
    return Indel.normalized_similarity(grammar.split(), free.split()) >= PARTIAL_ALIKE


def opened(hearing: Hearing) -> PocketSphinxRecognizer:
    """The recogniser of the table, with this project's models of the domain; names that no dictionary has are guessed."""
    return PocketSphinxRecognizer(hearing.find("asr-domain"), hearing.matcher, guess=by_espeak)


def features(evidence: Evidence) -> tuple[float, ...]:
    """The evidence as numbers of about the same size, in the order of ``FEATURES``."""
    margin = min(1.0, max(-4.0, evidence.margin))
    return (
        evidence.same_words, float(evidence.same_command), margin, evidence.posterior, min(evidence.words, 8) / 8.0,
    )  # fmt: skip


def alike_enough(evidence: Evidence) -> bool:
    """Whether both texts share as many words as a text of this length must."""
    least = ALIKE_LONG_AT if evidence.words >= LONG_WORDS else ALIKE_AT
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
