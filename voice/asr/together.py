"""Two recognisers side by side: PocketSphinx follows the command grammar, Whisper hears everything.

Owns: what is weighed, and what is done about it. A command that both have is taken. Whisper writes what was most likely said and
knows nothing of our commands ("ice mocha"); the grammar always says a command, whether one was said or not. So every command that
one of them proposes, those closest to Whisper's words and those that sound like it (lock, unlock) are scored by Whisper on the
sound, against Whisper's own words, and ``voice.asr.decision`` says how likely each is. A likely one is done, between two the driver
is asked, and otherwise it stays at what Whisper heard. Does not own the engines (``voice.asr.sphinx``, ``voice.asr.whisper``) nor
the question (``voice.dialogue``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from rapidfuzz.distance import Indel

from models.commands.matcher import TemplateMatcher
from models.commands.nearest import nearest
from schemas.events import SAMPLE_RATE, Command, Hypothesis, Samples, Transcript
from voice.asr import Hearing, pocketsphinx, whisper
from voice.asr.decision import ADAPTED, PLAIN, Candidate, Words, probabilities
from voice.asr.pocketsphinx import PocketSphinxRecognizer, trusted
from voice.asr.whisper import Take, WhisperRecognizer

ACT_AT = 0.8
"""Least probability of a command that is done at once; by measurement as the following
(``python -m deploy.lab.recogniser.acceptance``, docs/log.md)."""
ASK_AT = 0.8
"""Where none is as likely: least probability that it is one of the best two, which are then asked about."""
SECOND_AT = 0.1
"""Least probability of the second of them."""
SURE_AT = 0.6
"""Least confidence of Whisper in its own words for it to decide alone."""
FITS_AT = -2.5
"""Natural logarithm: least score of a command, less that of Whisper's own words, for Whisper to have heard that command though
it wrote something else ("brue a double shot")."""
LEAD_AT = 4.0
"""Natural logarithm: least lead of such a command over every other. Of 105 recorded orders in kitchen noise Whisper's own
command was ahead by 4.7 or more in 16 of 16 where it was right, and 1.1 behind where it was not (docs/log.md)."""
DOUBT_GAP = 3.0
"""Natural logarithm: a command that sounds like the best and whose score is less than this behind is asked about, however
likely the best is: the weights know little of such pairs."""
HEARD_AT = 0.05
"""Least confidence of Whisper in its own words for a command to be weighed against them: noise alone, in which it had "bye" at
.003, is none, whatever the grammar makes of it."""
NEAR = 3
"""Sentences close to Whisper's words that are weighed."""
NEAR_LIMIT = 2.0
"""Most that they may differ (``models.commands.nearest``)."""
NEAR_SHARE = 0.35
"""The same for each word that was heard."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """What a decision was made on: for measuring and for the fit of the weights."""

    candidates: tuple[Candidate, ...]
    """Likeliest first; one alone, not weighed, where both recognisers have it."""
    words: Words
    agreed: bool
    """Both have the same command."""


SUPPOSED_ALIKE = 0.4
"""Likeness of the words of PocketSphinx's two models from which on Whisper is first asked without its prompt, which costs little,
and a reply is made ahead. Of the 18 sentences of the demo's first trip the commands had .55 and more, free speech .36 and less but
for two that are nearly commands."""
MATTERS_ALIKE = 0.5
"""Likeness to Whisper's words from which on the grammar's may be what is decided for."""

FADED_S = 0.16
"""Most sound since a decision for a pause to confirm it: from where the voice fades (``voice.vad.endpoint.FADES_BELOW``) to where
decoding begins, which was 32 to 128 ms, five frames at most where it fades slowly."""


def _alike(one: str, other: str) -> float:
    return Indel.normalized_similarity(one.split(), other.split())


def _follows(words: str, seconds: float) -> Transcript:
    """A complete command that PocketSphinx seems to hear at a pause."""
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


class TogetherRecognizer:
    """``schemas.ports.Recognizer``: PocketSphinx follows the sound as it comes, Whisper decodes at every pause."""

    def __init__(
        self,
        sphinx: PocketSphinxRecognizer,
        ear: WhisperRecognizer,
        matcher: TemplateMatcher,
    ) -> None:
        """Put them together.

        Args:
            sphinx: follows the closed templates of ``matcher``, and says whether they were meant.
            ear: hears free speech.
            matcher: the commands.
        """
        self._sphinx, self._whisper, self._matcher = sphinx, ear, matcher
        self._weights = ADAPTED if ear.adapted else PLAIN
        self._unprompted: Take | None = None
        self._weighed: Weighed | None = None
        self._decided: _Decided | None = None
        self._scored: tuple[Take, dict[str, float]] | None = None
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

    def hear(self) -> Transcript | None:
        """Whisper's words, before commands that may have been said are weighed against them.

        Raises:
            schemas.errors.ModelError: the engine failed.
        """
        take = None if self._at_pause() is not None else self._whisper.take()
        return self._plain(take, "") if take is not None and take.text else None

    def pause(self) -> None:
        """Decide on what was fed so far; `finish` decodes nothing again unless more is fed.

        Raises:
            schemas.errors.ModelError: an engine failed.
        """
        if self._at_pause() is not None or not self._whisper.samples:
            return
        followed = self._sphinx.followed()
        if self._confirmed(followed):
            return
        self._decided = _Decided(self._whisper.samples, followed, self._found(followed, self._sphinx.partial()))

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
        words = self._sphinx.partial()
        if supposed := self._supposed(self._sphinx.followed(), words):
            return _follows(supposed, self._whisper.seconds)
        return Transcript(text=words, confidence=0.0, in_grammar=False, seconds=self._whisper.seconds)

    def finish(self) -> Transcript:
        """End the utterance.

        Raises:
            schemas.errors.ModelError: an engine failed.
        """
        if not self._whisper.samples and self._left_open:
            return Transcript(text="", confidence=0.0, in_grammar=False)
        decided, weighed = self._at_pause(), self._weighed
        agreed = weighed is not None and weighed.agreed
        if decided is not None and (agreed or not self._matters(decided.followed)):
            transcript = decided.found  # what PocketSphinx makes of its last frames cannot change that
            self._left_open = True
        else:
            transcript = self._ended(self._sphinx.finish(), decided)
        self._whisper.start()
        self._unprompted = self._decided = None
        return transcript

    def _ended(self, heard: Transcript, decided: _Decided | None) -> Transcript:
        followed = heard.grammar.text if heard.grammar is not None else ""
        if decided is not None and self._same(decided.followed, followed):
            return decided.found
        free = heard.open.text if heard.open is not None else ""
        return self._found(followed, followed if trusted(followed, free) else free)

    def _matters(self, followed: str) -> bool:
        """Whether what the grammar follows can be what is decided for: only if it is like Whisper's words."""
        take = self._whisper.taken()
        return take is None or _alike(followed, take.text) >= MATTERS_ALIKE

    def _supposed(self, followed: str, words: str) -> str:
        """The command that the grammar follows, if PocketSphinx's words are somewhat like it, or that those are; else empty."""
        if followed and _alike(followed, words) >= SUPPOSED_ALIKE and self._matcher.match(followed) is not None:
            return followed
        return words if words and self._matcher.match(words) is not None else ""

    def _same(self, one: str, other: str) -> bool:
        return one == other or self._matcher.match(one) == self._matcher.match(other) is not None

    def _confirmed(self, followed: str) -> bool:
        """Whether both had the same command when the voice faded, and what was fed since is no word more to the grammar."""
        decided, weighed = self._decided, self._weighed
        if decided is None or weighed is None or not weighed.agreed or decided.followed != followed:
            return False
        if self._whisper.samples - decided.samples > FADED_S * SAMPLE_RATE:
            return False
        self._decided = replace(decided, samples=self._whisper.samples)
        return True

    def _at_pause(self) -> _Decided | None:
        """What the last pause decided, if nothing was fed since."""
        decided = self._decided
        return decided if decided is not None and decided.samples == self._whisper.samples else None

    def has(self, sound: Samples, word: str) -> bool:
        """Whether Whisper hears the word in this sound.

        Raises:
            schemas.errors.ModelError: the engine failed.
        """
        return self._whisper.has(sound, word)

    def weighed(self) -> Weighed | None:
        """What the last decision was made on; None where nothing was heard. For measuring."""
        return self._weighed

    def _forget(self) -> None:
        self._unprompted = self._decided = self._scored = None
        self._left_open = False

    def _plainly(self) -> Take | None:
        """What Whisper hears without a prompt, which is sooner there."""
        if self._unprompted is None or self._unprompted.samples != self._whisper.samples:
            self._unprompted = self._whisper.unprompted()
        return self._unprompted

    def _found(self, followed: str, words: str) -> Transcript:
        """What was said, as far as both tell.

        Args:
            followed: the grammar's words.
            words: PocketSphinx's: the same if its open model agrees, else the open model's.
        """
        self._weighed = None
        command = self._matcher.match(followed) if followed else None
        take = self._whisper.taken() or (self._plainly() if self._supposed(followed, words) else None)
        if take is None or self._matcher.match(take.text) != command:
            take = self._whisper.take()
        if take is None:
            return Transcript(text="", confidence=0.0, in_grammar=False, seconds=self._whisper.seconds)
        plain = self._plain(take, followed)
        return self._decide(take, plain, command, trusted=words == followed) if take.text else plain

    def _plain(self, take: Take, followed: str) -> Transcript:
        return Transcript(
            text=take.text,
            confidence=take.confidence,
            misheard=self._whisper.misheard(take.confidence),
            in_grammar=False,
            grammar=Hypothesis(text=followed, log_score=0.0),
            open=Hypothesis(text=take.text, log_score=math.log(max(take.confidence, 1e-9))),
            others=take.others(),
            seconds=self._whisper.seconds,
        )

    def _decide(self, take: Take, plain: Transcript, followed: Command | None, *, trusted: bool) -> Transcript:
        whispered = self._matcher.match(take.text)
        words = Words(take.confidence, len(take.text.split()), whispered is not None)
        if whispered is not None and whispered == followed:
            one = Candidate(take.text, whispered, followed=True, trusted=trusted, whispered=True, margin=0.0, alike=1.0)
            self._weighed = Weighed((one,), words, agreed=True)
            other = self._opposite(take)
            sure = {"in_grammar": not other, "alternative": other, "others": ()}
            return plain.model_copy(update={"confidence": AGREED, "misheard": False, **sure})
        if take.confidence < HEARD_AT:
            return plain.model_copy(update={"misheard": True})
        texts = [plain.grammar.text] if followed is not None and plain.grammar is not None else []
        candidates = self._candidates(take, texts, followed, whispered, trusted=trusted)
        likely = probabilities(candidates, words, self._weights)
        ranked = sorted(zip(likely, candidates, strict=True), key=lambda pair: -pair[0])
        self._weighed = Weighed(tuple(one for _, one in ranked), words, agreed=False)
        if not ranked:
            return plain
        (first, best), (second, other) = ranked[0], ranked[1] if len(ranked) > 1 else (0.0, ranked[0][1])
        alone = self._alone(candidates, words)
        if alone is not None:
            first, best = max(words.heard, ACT_AT), alone
        rival = self._rival(best, candidates) if alone is None and first >= ACT_AT else None
        sure = first >= ACT_AT and rival is None
        if sure or rival is not None or (first + second >= ASK_AT and second >= SECOND_AT):
            return plain.model_copy(
                update={
                    "text": best.text, "confidence": first, "misheard": False, "in_grammar": sure,
                    "alternative": "" if sure else (rival or other).text, "others": (),
                }
            )  # fmt: skip
        return plain.model_copy(update={"misheard": plain.misheard or whispered is not None})

    def _scores(self, take: Take, texts: Sequence[str]) -> list[float]:
        """``WhisperRecognizer.scores``; the end of an utterance weighs much of what its last pause weighed."""
        if self._scored is None or self._scored[0] is not take:
            self._scored = take, {}
        known = self._scored[1]
        new = [text for text in dict.fromkeys(texts) if text not in known]
        known.update(zip(new, self._whisper.scores(take, new), strict=True))
        return [known[text] for text in texts]

    def _opposite(self, take: Take) -> str:
        """The command that the take's is with a sound before it, as "unlock" is of "lock", if that fits nearly as well; else empty.

        It may also be said with "and" before it, which sounds like "un-". And what is said in one breath with the wake word begins
        with its last sound: both recognisers had "unlock the doors" for "-er, lock the doors", which Whisper scored 1.2 behind;
        where "unlock" was said, "lock" was 2.8 behind and more (docs/log.md).
        """
        first, _, rest = take.text.partition(" ")
        bare = ALIKE.get(first, first)
        other = f"{bare} {rest}" if bare != first and first.endswith(bare) else ""
        if not other or self._matcher.match(other) is None:
            return ""
        own, *its = self._scores(take, [take.text, other, f"and {other}"])
        return other if own - max(its) < DOUBT_GAP else ""

    def _alone(self, candidates: Sequence[Candidate], words: Words) -> Candidate | None:
        """The command that Whisper heard so well that it alone decides: its own words, or as good as they, and no other near."""
        best, *others = sorted(candidates, key=lambda one: -one.margin)
        if words.heard < SURE_AT or best.margin < FITS_AT or (words.command and not best.whispered):
            return None
        return best if all(best.margin - one.margin >= LEAD_AT for one in others) else None

    def _rival(self, best: Candidate, candidates: list[Candidate]) -> Candidate | None:
        """What speaks against even a likely command: one that Whisper wrote, or that fits the sound nearly as well.

        The latter if it sounds like it, or if both of PocketSphinx's models have it.
        """
        alike = sounding_alike(best.text)
        for one in candidates:
            gap = LEAD_AT if one.trusted else DOUBT_GAP if one.text in alike else -math.inf
            if one is not best and (one.whispered or best.margin - one.margin < gap):
                return one
        return None

    def _candidates(
        self, take: Take, texts: list[str], followed: Command | None, whispered: Command | None, *, trusted: bool
    ) -> list[Candidate]:
        """Commands that may have been said, each once, with the words of it that fit the sound best."""
        heard = take.text.split()
        if whispered is not None:
            texts.append(take.text)
        elif not self._matcher.begins(take.text):  # what breaks off is not completed by guessing
            limit = min(NEAR_LIMIT, NEAR_SHARE * len(heard))
            found = nearest(self._matcher.graph, heard, most=NEAR, limit=limit)
            texts += [" ".join(one.words) for one in found]
        texts = list(dict.fromkeys(other for text in texts for other in (text, *sounding_alike(text))))
        known = [(text, command) for text in texts if (command := self._matcher.match(text)) is not None]
        if not known:
            return []
        own, *scores = self._scores(take, [take.text, *(text for text, _ in known)])
        rated: dict[str, Candidate] = {}
        for (text, command), score in sorted(zip(known, scores, strict=True), key=lambda pair: -pair[1]):
            rated.setdefault(
                command.model_dump_json(),
                Candidate(
                    text, command, followed=command == followed, trusted=trusted and command == followed,
                    whispered=command == whispered, margin=score - own,
                    alike=_alike(text, take.text),
                ),
            )  # fmt: skip
        return list(rated.values())


AGREED = 0.97
"""Probability of a command that both have."""

_ALIKE = (
    ("lock", "unlock"), ("locked", "unlocked"), ("fold", "unfold"), ("on", "off"), ("increase", "decrease"), ("thirteen", "thirty"),
    ("fourteen", "forty"), ("fifteen", "fifty"), ("sixteen", "sixty"), ("seventeen", "seventy"), ("eighteen", "eighty"),
    ("nineteen", "ninety"),
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
    with ThreadPoolExecutor(1, "whisper") as beside:  # its engine loads without Python's lock
        ear = beside.submit(whisper.opened, hearing)
        sphinx = pocketsphinx.opened(hearing)
        return TogetherRecognizer(sphinx, ear.result(), hearing.matcher)
