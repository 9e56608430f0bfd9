"""Two recognisers side by side: PocketSphinx follows the command grammar, Whisper hears everything.

Owns: the decision between them. A command that PocketSphinx hears, with its own open model beside it, and of which it is sure, is
taken as soon as it ends; Whisper has a say where it hears another command, or where another sounds like it (lock, unlock). For
everything else Whisper decides. It writes what was most likely said and knows nothing of our commands ("ice mocha"); the
grammar always says a command, whether one was said or not. So every command that one of them proposes, and those closest to
Whisper's words, are scored by Whisper on the sound, against Whisper's own words; a logistic function of that evidence gives the
probability that the best of them was said. Two commands that the sound tells apart badly (lock, unlock) are both handed on, and the
driver is asked. Does not own the engines (``voice.asr.sphinx``, ``voice.asr.whisper``) nor the question (``voice.dialogue``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from rapidfuzz.distance import Indel

from models.commands.matcher import TemplateMatcher
from models.commands.nearest import nearest
from schemas.events import Command, Hypothesis, Samples, Transcript
from voice.asr import Hearing, pocketsphinx, whisper
from voice.asr.pocketsphinx import PocketSphinxRecognizer
from voice.asr.whisper import Take, WhisperRecognizer


@dataclass(frozen=True, slots=True)
class TogetherSettings:
    """What was chosen by measurement (docs/log.md)."""

    accept_at: float = 0.5
    """Least probability that a command is what was said."""
    doubt_gap: float = 3.0
    """Natural logarithm: a second command whose score is less than this behind the best is asked about. Of 52 orders in kitchen
    noise the right ones were 5.9 and more ahead, one wrong one 2.4."""
    alike_at: float = 0.5
    """Unless both have the command: least likeness of its words to Whisper's. Of what the grammar made of free speech all
    had less (40 utterances), of right commands one."""
    near: int = 3
    """Sentences close to Whisper's words that are scored."""
    near_limit: float = 2.0
    """Most that they may differ (``models.commands.nearest``)."""
    near_share: float = 0.35
    """The same for each word that was heard."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for the best command of an utterance and what against."""

    agreed: bool
    """Grammar and Whisper have the same command."""
    whispered: bool
    """Whisper's own words are that command."""
    followed: bool
    """The grammar's words are that command."""
    margin: float
    """Whisper's log probability of the command's words less that of its own, at most 0; natural logarithm, of the whole text."""
    gap: float
    """The same of the command less the next best other one; ``NO_OTHER`` where there is none."""
    alike: float
    """Likeness of the command's words and Whisper's, 0..1 (insertions and deletions over the words of both)."""
    heard: float
    """Whisper's confidence in its own words, 0..1."""
    words: int
    """Words of the command."""


NO_OTHER = 10.0
SUPPOSED_ALIKE = 0.4
"""Likeness of the words of PocketSphinx's two models from which on Whisper is first asked without its prompt, which costs little,
and a reply is made ahead. Of the 18 sentences of the demo's first trip the commands had .55 and more, free speech .36 and less but
for two that are nearly commands."""


def _alike(one: str, other: str) -> float:
    return Indel.normalized_similarity(one.split(), other.split())


def _follows(words: str, seconds: float) -> Transcript:
    """A complete command that PocketSphinx seems to hear at a pause; how sure it is, is known at the end."""
    said = Hypothesis(text=words, log_score=0.0)
    return Transcript(text=words, confidence=0.99, in_grammar=True, grammar=said, seconds=seconds)


@dataclass(frozen=True, slots=True)
class _Decided:
    """What a pause found."""

    samples: int
    """Of the utterance, fed by then."""
    followed: str
    """The grammar's words."""
    found: Transcript


@dataclass(frozen=True, slots=True)
class _Candidate:
    text: str
    command: Command
    score: float


class TogetherRecognizer:
    """``schemas.ports.Recognizer``: PocketSphinx follows the sound as it comes, Whisper decodes at every pause."""

    def __init__(
        self,
        sphinx: PocketSphinxRecognizer,
        ear: WhisperRecognizer,
        matcher: TemplateMatcher,
        settings: TogetherSettings | None = None,
    ) -> None:
        """Put them together.

        Args:
            sphinx: follows the closed templates of ``matcher``, and says whether they were meant.
            ear: hears free speech.
            matcher: the commands.
            settings: thresholds.
        """
        self._sphinx, self._whisper, self._matcher = sphinx, ear, matcher
        self._settings = settings or TogetherSettings()
        self._unprompted: Take | None = None
        self._evidence: Evidence | None = None
        self._decided: _Decided | None = None
        self._left_open = False
        """PocketSphinx still has the utterance before: ending it takes 20 ms, which the next beginning has to spare."""

    def reset(self) -> None:
        """Forget an open utterance and the room."""
        self._sphinx.reset()
        self._whisper.reset()
        self._forget()

    def start(self, before: Samples | None = None) -> None:
        """Begin an utterance; an unfinished one is thrown away. What was heard before shows the noise."""
        self._sphinx.start(before)
        self._whisper.start(before)
        self._forget()

    def feed(self, chunk: Samples) -> None:
        """Take the next samples of the utterance (any number)."""
        if self._left_open:
            self._sphinx.start()
            self._left_open = False
        self._sphinx.feed(chunk)
        self._whisper.feed(chunk)

    def pause(self) -> None:
        """Decide on what was fed so far; `finish` decodes nothing again unless more is fed.

        Raises:
            schemas.errors.ModelError: an engine failed.
        """
        if self._at_pause() is not None or not self._whisper.samples:
            return
        supposed = self._supposed()
        found = self._agreed(supposed) if supposed else None
        followed = self._sphinx.followed()
        self._decided = _Decided(self._whisper.samples, followed, found or self._free(followed))

    def partial(self) -> str:
        """The words so far: what the last pause decided, else PocketSphinx's where they are a complete command."""
        found = self.likely()
        return found.text if found is not None and not found.alternative else ""

    def likely(self) -> Transcript | None:
        """What the last pause decided; where more was fed since, the command that PocketSphinx seems to hear, or its words."""
        decided = self._at_pause()
        if decided is not None:
            return decided.found
        if not self._whisper.samples:
            return None
        supposed = self._supposed()
        if supposed:
            return _follows(supposed, self._whisper.seconds)
        return Transcript(text=self._sphinx.partial(), confidence=0.0, in_grammar=False, seconds=self._whisper.seconds)

    def finish(self) -> Transcript:
        """End the utterance.

        Raises:
            schemas.errors.ModelError: an engine failed.
        """
        if not self._whisper.samples and self._left_open:
            return Transcript(text="", confidence=0.0, in_grammar=False)
        decided, evidence = self._at_pause(), self._evidence
        if decided is not None and decided.found.in_grammar and evidence is not None and evidence.agreed:
            transcript = decided.found  # both have it; what PocketSphinx makes of its last frames cannot change that
            self._left_open = True
        else:
            transcript = self._ended(self._sphinx.finish(), decided)
        self._whisper.start()
        self._unprompted = self._decided = None
        return transcript

    def _ended(self, followed: Transcript, decided: _Decided | None) -> Transcript:
        said = followed.grammar.text if followed.grammar is not None else ""
        if followed.in_grammar:
            kept = decided is not None and self._same(decided.found.text, followed.text)
            return decided.found if decided is not None and kept else self._checked(followed)
        if decided is not None and (self._same(decided.followed, said) or not self._matters(decided.followed, said)):
            return decided.found
        return self._free(said)

    def _matters(self, *followed: str) -> bool:
        """Whether what the grammar follows can be what is decided for: only if it is like Whisper's words."""
        take = self._whisper.taken()
        return take is None or any(_alike(one, take.text) >= self._settings.alike_at for one in followed)

    def _supposed(self) -> str:
        """The command that the grammar follows, if the open model's words are somewhat like it, or that those are; else empty."""
        followed, words = self._sphinx.followed(), self._sphinx.partial()
        if followed and _alike(followed, words) >= SUPPOSED_ALIKE and self._matcher.match(followed) is not None:
            return followed
        return words if words and self._matcher.match(words) is not None else ""

    def _same(self, one: str, other: str) -> bool:
        return one == other or self._matcher.match(one) == self._matcher.match(other)

    def _at_pause(self) -> _Decided | None:
        """What the last pause decided, if nothing was fed since."""
        decided = self._decided
        return decided if decided is not None and decided.samples == self._whisper.samples else None

    def evidence(self) -> Evidence | None:
        """What the last decision was made on; None where PocketSphinx was sure, or no command was near. For measuring."""
        return self._evidence

    def _forget(self) -> None:
        self._unprompted = self._decided = None
        self._left_open = False

    def _plainly(self) -> Take | None:
        """What Whisper hears without a prompt, which is sooner there."""
        if self._unprompted is None or self._unprompted.samples != self._whisper.samples:
            self._unprompted = self._whisper.unprompted()
        return self._unprompted

    def _checked(self, followed: Transcript) -> Transcript:
        """A command of which PocketSphinx is sure; Whisper is asked where it hears another, or where another sounds like it."""
        self._evidence = None
        command, take = self._matcher.match(followed.text), self._whisper.taken() or self._plainly()
        if take is None:
            return followed
        whispered = self._matcher.match(take.text)
        if whispered == command:
            return followed
        rivals = [take.text] if whispered is not None else []
        rivals += [one for one in sounding_alike(followed.text) if self._matcher.match(one) not in (None, command)]
        if not rivals:
            return followed
        own, *scores = self._whisper.scores(take, [followed.text, *rivals])
        score, rival = max(zip(scores, rivals, strict=True))
        if own - score >= self._settings.doubt_gap:
            return followed
        return followed.model_copy(update={"in_grammar": False, "alternative": rival})

    def _agreed(self, followed: str) -> Transcript | None:
        """The command that the grammar follows, if Whisper hears it, too: without a prompt, and nothing else is decoded."""
        command = self._matcher.match(followed) if followed else None
        take = (self._whisper.taken() or self._plainly()) if command is not None else None
        return self._of(take, followed) if take is not None and self._matcher.match(take.text) == command else None

    def _free(self, followed: str) -> Transcript:
        """What Whisper makes of the sound, with what the grammar follows beside it."""
        self._evidence = None
        take = self._whisper.take()
        if take is None:
            return Transcript(text="", confidence=0.0, in_grammar=False, seconds=self._whisper.seconds)
        return self._of(take, followed)

    def _of(self, take: Take, followed: str) -> Transcript:
        settings, heard = self._settings, take.text
        self._evidence = None
        plain = Transcript(
            text=heard,
            confidence=take.confidence,
            misheard=self._whisper.misheard(take.confidence),
            in_grammar=False,
            grammar=Hypothesis(text=followed, log_score=0.0),
            open=Hypothesis(text=heard, log_score=math.log(max(take.confidence, 1e-9))),
            seconds=self._whisper.seconds,
        )
        if not heard:
            return plain
        candidates = self._candidates(take, followed)
        if not candidates:
            return plain
        best = candidates[0]
        others = [one for one in candidates if one.command != best.command]
        gap = min(NO_OTHER, best.score - others[0].score) if others else NO_OTHER
        whispered, grammatical = self._matcher.match(heard), self._matcher.match(followed)
        self._evidence = evidence = Evidence(
            agreed=whispered == grammatical == best.command,
            whispered=whispered == best.command,
            followed=grammatical == best.command,
            margin=min(0.0, best.score),
            gap=gap,
            alike=_alike(best.text, heard),
            heard=take.confidence,
            words=len(best.text.split()),
        )
        likely = accepted_probability(evidence)
        if likely < settings.accept_at or (not evidence.agreed and evidence.alike < settings.alike_at):
            return plain
        doubtful = bool(others) and not evidence.agreed and gap < settings.doubt_gap
        return plain.model_copy(
            update={
                "text": best.text,
                "confidence": likely,
                "misheard": False,
                "in_grammar": not doubtful,
                "alternative": others[0].text if doubtful else "",
            }
        )

    def _candidates(self, take: Take, followed: str) -> list[_Candidate]:
        """Commands that may have been said, best first; ``score`` is less Whisper's own words'."""
        heard = take.text
        whispered, grammatical = self._matcher.match(heard), self._matcher.match(followed)
        if whispered is not None and whispered == grammatical:
            return [_Candidate(heard, whispered, 0.0)]
        texts = [text for text, command in ((heard, whispered), (followed, grammatical)) if command is not None]
        if whispered is None and not self._matcher.begins(heard):  # what breaks off is not completed by guessing
            limit = min(self._settings.near_limit, self._settings.near_share * len(heard.split()))
            found = nearest(self._matcher.graph, heard.split(), most=self._settings.near, limit=limit)
            texts += [" ".join(one.words) for one in found]
        texts = list(dict.fromkeys(other for text in texts for other in (text, *sounding_alike(text))))
        if not texts:
            return []
        own, *scores = self._whisper.scores(take, [heard, *texts])
        rated = [
            _Candidate(text, command, score - own)
            for text, score in zip(texts, scores, strict=True)
            if (command := self._matcher.match(text)) is not None
        ]
        return sorted(rated, key=lambda one: -one.score)


_ALIKE = (
    ("lock", "unlock"), ("locked", "unlocked"), ("on", "off"), ("thirteen", "thirty"), ("fourteen", "forty"), ("fifteen", "fifty"),
    ("sixteen", "sixty"), ("seventeen", "seventy"), ("eighteen", "eighty"), ("nineteen", "ninety"), ("increase", "decrease"),
)  # fmt: skip
ALIKE = {word: other for pair in _ALIKE for word, other in (pair, pair[::-1])}
"""Words that sound alike and mean something else in a command."""


def sounding_alike(text: str) -> list[str]:
    """The same sentence with each word of ``ALIKE`` in it replaced: what one recogniser alone takes for the other too easily."""
    words = text.split()
    return [" ".join([*words[:at], ALIKE[word], *words[at + 1 :]]) for at, word in enumerate(words) if word in ALIKE]


def opened(hearing: Hearing) -> TogetherRecognizer:
    """The recogniser of the table, with this project's dictionary; names that no dictionary has are guessed.

    Raises:
        schemas.errors.ModelMissingError: no Whisper model was chosen.
    """
    sphinx = pocketsphinx.opened(hearing)
    return TogetherRecognizer(sphinx, whisper.opened(hearing), hearing.matcher)


FEATURES = ("agreed", "whispered", "followed", "margin a word", "gap", "alike", "heard", "words")
"""What the weights below belong to, in this order, after a constant."""

ACCEPT = (-5.5, 3.5, 0.0, 1.0, 1.5, 0.05, 4.0, 4.0, 1.0)
"""Set by hand on 52 orders to a coffee machine in kitchen noise at 10 dB and 40 sentences of twelve espeak-ng and flite voices,
quiet to 5 dB: too few to fit so many. The margin a word was -1 and more for right commands, mostly -1.6 and less for what the
grammar made of free speech (docs/log.md)."""


def features(evidence: Evidence) -> tuple[float, ...]:
    """The evidence as numbers of about the same size, in the order of ``FEATURES``."""
    return (
        float(evidence.agreed), float(evidence.whispered), float(evidence.followed),
        max(-4.0, evidence.margin / max(1, evidence.words)),
        evidence.gap, evidence.alike, evidence.heard, min(evidence.words, 8) / 8.0,
    )  # fmt: skip


def accepted_probability(evidence: Evidence) -> float:
    """Probability that the command is what was said."""
    total = ACCEPT[0] + sum(weight * value for weight, value in zip(ACCEPT[1:], features(evidence), strict=True))
    return 1.0 / (1.0 + math.exp(-min(30.0, max(-30.0, total))))
