"""Post-thinking, carried out: what new episodes add to cold memory. Planned without writing, then written at once.

In order: events of new episodes, merged with those that tell the same; tags that have grown; thoughts induced from what recurs;
a line in the summary of the day for each new episode; links; the profile. (Vectors are `memory.recall.vectors`' to keep.)
Contradictions are resolved by what is later: a thought about a preference that has ended since goes, one whose time of day has
changed is replaced.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo

import numpy as np
from numpy.typing import NDArray

from memory.learn.english.canonical import polarity
from memory.learn.english.negation import negated
from memory.learn.evidence import NONE
from memory.recall.decay import MOST
from memory.recall.times import MONTHS, NUMBERS, ORDINALS
from memory.reflect import links, profile
from memory.reflect.induction import DAYTIMES, REPEATS, Induced, Occasion, event, induce
from memory.store import tags as ontology
from memory.store.conversations import Archive
from memory.store.preferences import Sentence
from memory.store.summaries import Line
from memory.store.tags import content
from models.text import contains, normal, words
from schemas.clock import WEEKDAYS
from schemas.memory import Episode, Kind, Preference, ProfileEntry, Status, Thought, Trip
from schemas.ports import Encoder
from schemas.preferences import BY_DETAIL

SUBJECT_AT = 0.3
"""Probability from which on words of an episode are what it is about; as in extraction."""
TOPIC_AT = 0.15
"""The same of its category."""
SAME_AT = 0.5
"""Cosine from which on an event may be a correction of another, if nothing but times and numbers sets them apart. Our
choice."""
QUOTED_AT = 0.4
"""Importance from which on a summary holds the words of an episode, and not only key words."""
QUOTED = 24
"""Words of it that a summary holds at most."""
KEYWORDS = 8
"""Key words of any other that it holds at most."""
EVENT_IMPORTANCE = 0.5
"""Importance of an event, at least."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What post-thinking goes by."""

    episodes: Sequence[Episode]
    """The newest (``memory.driver.conversations.WINDOW``), and all that it has not seen."""
    fresh: frozenset[str]
    """Ids of the episodes that it has not seen."""
    thoughts: Sequence[Thought]
    profile: Sequence[ProfileEntry]
    preferences: Sequence[Preference]
    """With history."""
    sentences: Mapping[str, Sequence[Sentence]]
    trips: Sequence[Trip]
    tags: Sequence[str]
    vectors: Mapping[str, NDArray[np.float32]]


@dataclass(slots=True)
class Reflection:
    """What is going to be written."""

    seen: tuple[str, ...] = ()
    thoughts: list[Thought] = field(default_factory=list[Thought])
    """New ones, and those that take the place of another with their id."""
    gone: list[str] = field(default_factory=list[str])
    """Ids of thoughts that do not hold any more, or that another took in."""
    again: list[str] = field(default_factory=list[str])
    """Ids of thoughts that came up again."""
    rests: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Thought -> further sources."""
    tags: tuple[str, ...] = ()
    """That have grown."""
    tagged: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Episode -> its tags now."""
    lines: list[tuple[datetime, Line]] = field(default_factory=list[tuple[datetime, Line]])
    vectors: dict[str, NDArray[np.float32]] = field(default_factory=dict[str, NDArray[np.float32]])
    """What was needed to plan; not written."""
    links: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    entries: tuple[ProfileEntry, ...] = ()


class Reflector:
    """Thinks about what was said, afterwards."""

    def __init__(self, encoder: Encoder, zone: tzinfo, new_id: Callable[[], str]) -> None:
        """Thinks with this encoder, in this zone; ``new_id`` makes the ids."""
        self._encoder, self._zone, self._new_id = encoder, zone, new_id

    def plan(
        self, seen: Snapshot, now: datetime, *, allowed: Callable[[str], bool], unwanted: Callable[[str, str], bool]
    ) -> Reflection:
        """What to write; writes nothing.

        Args:
            seen: what is stored.
            now: current time.
            allowed: whether consent lets things of this detail key be kept now.
            unwanted: whether the driver deleted a thought (``thought`` and its `thought_key`) or an entry (``profile`` and its
                key).
        """
        fresh = [e for e in seen.episodes if e.id in seen.fresh and all(map(allowed, e.details))]
        plan = Reflection(seen=tuple(seen.fresh))
        grown = ontology.recurring([(e.conversation, e.driver) for e in seen.episodes if not e.details], seen.tags)
        plan.tags = grown if fresh else ()
        plan.tagged = self._retagged(seen.episodes, plan.tags)
        held = {t.id: t for t in seen.thoughts}
        self._outdated(plan, seen)
        told = [
            t for t in seen.thoughts
            if t.kind is Kind.EVENT and t.id not in plan.gone and all(map(allowed, t.details))
        ]  # fmt: skip
        self._events(plan, fresh, told, seen)
        occasions = [
            o for o in self._occasions(seen, fresh, (*seen.tags, *plan.tags)) if o.detail is None or allowed(o.detail)
        ]
        induced = induce(occasions, now, self._zone)
        self._induced(plan, induced, [t for t in held.values() if t.id not in plan.gone], unwanted)
        plan.lines = [(e.at, self._line(e.model_copy(update={"tags": plan.tagged.get(e.id, e.tags)}))) for e in fresh]
        self._link(plan, seen, fresh)
        evidence = profile.Evidence(
            [e for e in seen.episodes if all(map(allowed, e.details))],
            [p for p in seen.preferences if p.status is Status.ACTIVE and allowed(p.detail)],
            induced,
            seen.trips,
        )
        plan.entries = profile.refined(
            seen.profile, evidence, now, self._zone, new_id=self._new_id,
            unwanted=lambda key: unwanted("profile", key),
        )  # fmt: skip
        return plan

    # Events

    def _events(self, plan: Reflection, fresh: Sequence[Episode], held: Sequence[Thought], seen: Snapshot) -> None:
        known = {t.id: (t, seen.vectors.get(t.id)) for t in held}
        for episode in fresh:
            text = event(episode)
            if text is None:
                continue
            vector = self._encoder.encode([text])[0]
            same = next(
                (t for t, other in known.values() if _tells_same(text, t.text, vector, other, SAME_AT)),
                None,
            )
            made = Thought(
                id=self._new_id(),
                kind=Kind.EVENT,
                text=text,
                at=episode.at,
                details=episode.details if same is None else tuple(dict.fromkeys((*episode.details, *same.details))),
                tags=plan.tagged.get(episode.id, episode.tags),
                sources=(episode.id,) if same is None else tuple(dict.fromkeys((*same.sources, episode.id))),
                importance=max(EVENT_IMPORTANCE, episode.importance, same.importance if same is not None else 0.0),
                uses=0 if same is None else same.uses,
                last_used=None if same is None else same.last_used,
            )
            if same is not None:
                known.pop(same.id)
                plan.thoughts = [t for t in plan.thoughts if t.id != same.id]
                if any(t.id == same.id for t in held):
                    plan.gone.append(same.id)
            plan.thoughts.append(made)
            plan.vectors[made.id] = vector
            known[made.id] = (made, vector)

    # Thoughts

    def _outdated(self, plan: Reflection, seen: Snapshot) -> None:
        """Thoughts about a preference that has ended since, or about what is disliked."""
        for thought in seen.thoughts:
            if thought.kind is Kind.THOUGHT and any(
                p.detail in thought.details and contains(thought.text, p.value) and (_unwanted(p) or (
                    p.status is Status.SUPERSEDED and p.valid_to is not None and p.valid_to >= thought.at
                ))
                for p in seen.preferences
            ):  # fmt: skip
                plan.gone.append(thought.id)

    def _induced(
        self,
        plan: Reflection,
        induced: Sequence[Induced],
        held: Sequence[Thought],
        unwanted: Callable[[str, str], bool],
    ) -> None:
        for found in induced:
            details = () if found.detail is None else (found.detail,)
            same = [
                t for t in held
                if t.kind is Kind.THOUGHT and t.details == details and _subject(t.text) == _subject(found.subject)
            ]  # fmt: skip
            if any(t.text == found.text for t in same):
                standing = next(t for t in same if t.text == found.text)
                plan.rests[standing.id] = found.sources
                if set(found.sources) - set(standing.sources):
                    plan.again.append(standing.id)
                continue
            if unwanted("thought", thought_key(details, found.text)):
                continue
            plan.gone += [t.id for t in same]
            plan.thoughts.append(
                Thought(
                    id=self._new_id(),
                    kind=Kind.THOUGHT,
                    text=found.text,
                    at=found.at,
                    details=details,
                    tags=found.tags,
                    sources=found.sources,
                    importance=min(MOST, 0.4 + 0.05 * found.count),
                    uses=max((t.uses for t in same), default=0),
                )
            )

    def _occasions(self, seen: Snapshot, fresh: Sequence[Episode], grown: Sequence[str]) -> list[Occasion]:
        """What came up in the fresh episodes, and when it came up before; and what preferences were told again and again.

        An occasion is about a category, by the words that carry its value, or about a tag that has grown.
        """
        subjects: dict[tuple[str | None, tuple[str, ...]], tuple[str, bool]] = {}
        for episode in fresh:
            asked = 1.0 - self._encoder.requests(episode.driver).get(NONE, 0.0) >= 0.5
            topics = self._encoder.topics(episode.driver)
            for detail in episode.details:
                if topics.get(detail, 0.0) < TOPIC_AT:
                    continue
                for part in self._encoder.words(episode.driver, detail):
                    if part.probability >= SUBJECT_AT and content(part.text):
                        subjects[detail, content(part.text)] = (part.text, asked)
            for tag in grown if not episode.details else ():  # else the category says it better
                if tag in words(episode.driver):
                    subjects[None, (tag,)] = (tag, asked)
        unwanted = {(p.detail, content(p.value)) for p in seen.preferences if _unwanted(p)}
        ended = {(p.detail, content(p.value)): p.valid_to for p in seen.preferences if p.status is Status.SUPERSEDED}
        found: list[Occasion] = []
        for (detail, key), (subject, asked) in subjects.items():
            if (detail, key) in unwanted:
                continue  # what is spoken of again and again because it is disliked is no habit
            until = ended.get((detail, key)) if detail is not None else None
            for episode in seen.episodes:
                about = detail is None or detail in episode.details
                if about and contains(episode.driver, subject) and (until is None or episode.at > until) and (
                    detail is None or negated(episode.driver, subject, polarity(detail, subject)) is None
                ):  # fmt: skip
                    found.append(Occasion(subject, episode.at, episode.id, detail, episode.tags, asked))
        for preference in seen.preferences:
            said = seen.sentences.get(preference.id, ())
            told_often = len(said) >= REPEATS
            if preference.status is Status.ACTIVE and preference.sense.wanted and told_often:
                tags = (BY_DETAIL[preference.detail].sub,)
                found += [Occasion(preference.value, s.said_at, preference.id, preference.detail, tags) for s in said]
        return found

    # Tags, summaries, links

    def _retagged(self, episodes: Sequence[Episode], grown: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Episodes that a tag which has just grown belongs to: it takes the last place if there is none left."""
        found: dict[str, tuple[str, ...]] = {}
        for episode in episodes if grown else ():
            said = set(content(episode.driver))
            own = [tag for tag in grown if tag in said and tag not in episode.tags]
            if own:
                left = episode.tags[: max(ontology.MOST_TAGS - len(own), 1)]
                found[episode.id] = tuple(dict.fromkeys((*left, *own)))[: ontology.MOST_TAGS]
        return found

    def _line(self, episode: Episode) -> Line:
        """What an episode adds to the summary of its day: its words if it is important enough, else its key words."""
        if episode.importance >= QUOTED_AT:
            said = episode.driver.split()
            text = f"“{' '.join(said[:QUOTED])}{' ...' if len(said) > QUOTED else ''}”"
        else:
            text = f"{', '.join(tuple(dict.fromkeys(content(episode.driver)))[:KEYWORDS])}."
        return Line(episode.id, text, episode.details, episode.tags)

    def _link(self, plan: Reflection, seen: Snapshot, fresh: Sequence[Episode]) -> None:
        for thing in [*fresh, *plan.thoughts]:
            if thing.id not in seen.vectors and thing.id not in plan.vectors:
                plan.vectors[thing.id] = self._encoder.encode([text_of(thing)])[0]
        vectors = {name: vector for name, vector in {**seen.vectors, **plan.vectors}.items() if name not in plan.gone}
        linked = {thing.id: thing.links for thing in (*seen.episodes, *seen.thoughts)}
        new = [thing.id for thing in (*fresh, *plan.thoughts)]
        able = {name: vectors[name] for name in (*linked, *new) if name in vectors}
        made_of = {t.id: t.sources for t in (*seen.thoughts, *plan.thoughts)}
        plan.links = links.refreshed(able, new, linked, made_of)

    # Writing

    def carry_out(self, plan: Reflection, archive: Archive, now: datetime, *, keeps_conversations: bool) -> None:
        """Write a plan, in one transaction.

        Raises:
            ConsentError: consent forbids a part of it now.
        """
        with archive.transaction():
            archive.delete(plan.gone)
            if plan.tags and keeps_conversations:
                archive.grow(plan.tags, now)
            for name, tags in plan.tagged.items():
                archive.tag(Kind.EPISODE, name, tags)
            for thought in plan.thoughts:
                archive.think(thought, now)
            for name, sources in plan.rests.items():
                archive.rest_on(name, sources)
            archive.store.used(plan.again, now)
            days: dict[datetime, list[Line]] = {}
            for at, line in plan.lines:
                local = at.astimezone(self._zone).replace(hour=0, minute=0, second=0, microsecond=0)
                days.setdefault(local, []).append(line)
            for day, lines in days.items():
                archive.summarise(self._new_id(), day.date(), lines, now)
            for name, others in plan.links.items():
                archive.link(name, others)
            for entry in plan.entries:
                archive.put_entry(entry, now)
            archive.reflected(plan.seen)


def text_of(memory: Episode | Thought) -> str:
    """What a memory's vector is made of."""
    if isinstance(memory, Thought):
        return memory.text
    return f"{memory.driver} {memory.assistant}".strip()


_TIMES = frozenset(
    word for text in (*WEEKDAYS, *MONTHS, *NUMBERS, *ORDINALS, "tomorrow next last pm am o'clock noon midnight half quarter past")
    for word in words(text)
)  # fmt: skip
"""Words that set two tellings of one event apart: when it is, and how many."""
_WHEN = frozenset(word for text, _, _ in DAYTIMES for word in words(text)) | frozenset(
    words("often asks for speaks of at night on weekdays at weekends")
)


def thought_key(details: Sequence[str], text: str) -> str:
    """What a thought is about, whenever that is: the same for all wordings of one induction."""
    return " ".join((*details, *_subject(text)))


def _subject(text: str) -> tuple[str, ...]:
    """What an induced thought is about: all but its fixed wording."""
    return tuple(word for word in content(text) if word not in _WHEN)


_CORRECTED = re.compile(
    r"\b(?:actually|instead|no longer|not any ?more|rescheduled|postponed|changed|correction|i meant|(?:is|was|been|got) moved|now "
    r"(?:on|at|in))\b"
)
_CORRECTING = frozenset(words("actually instead longer rescheduled postponed changed correction meant moved been"))


def _tells_same(
    text: str, other: str, vector: NDArray[np.float32], known: NDArray[np.float32] | None, least: float
) -> bool:
    """Whether a text tells the event of an earlier one: in the same words, or corrected in nothing but times and numbers.

    Without a word that says so, another time is another event: one may well see the dentist twice.
    """
    said, before = set(content(text)), set(content(other))
    if said == before:
        return True
    apart = (said ^ before) - _TIMES - _CORRECTING
    if any(not word.isdecimal() for word in apart) or not (said & before) - _TIMES:
        return False
    return _CORRECTED.search(normal(text)) is not None and known is not None and float(vector @ known) >= least


def _unwanted(preference: Preference) -> bool:
    """Whether it says what the driver does not want, always and now."""
    return preference.status is Status.ACTIVE and not preference.sense.wanted and not preference.conditions
