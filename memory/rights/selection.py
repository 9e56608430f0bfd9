"""What a selector stands for: which memories meet its conditions, and what derives from them.

Reads the tables of every kind of memory, writes nothing. What becomes of what was chosen is `memory.rights.erasure`'s matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from memory.consent import categories
from memory.learn.english.canonical import fold, is_closed
from memory.rights.meant import meant
from memory.store import reminders as notices
from memory.store import words as told
from memory.store.preferences import Sentence, Store
from memory.store.rows import FOLLOWS
from memory.store.words import Kept, Needles, holds, spoken_in
from models.text import words
from schemas.errors import UnknownEntryError
from schemas.memory import FACTS, Found, Kind, Matches, Preference, Proposal, Selector, Waiting

About = Callable[[str], str | None]
"""The detail key that a text is most likely about, or None."""

TELLING_WORDS = 3
"""Words from which on a fact's text is looked for in what was said otherwise: fewer may stand anywhere."""

_Archived = dict[tuple[str, str], Kept]
"""By table and name; a line of a summary goes by its source."""


@dataclass(slots=True)
class Chosen:
    """Memories by kind, each with its words."""

    preferences: dict[str, Preference] = field(default_factory=dict[str, Preference])
    """Those that go as a whole."""
    sentences: dict[int, tuple[str, str]] = field(default_factory=dict[int, tuple[str, str]])
    """Number -> preference and text of single sentences, of preferences that stay."""
    turns: dict[int, str] = field(default_factory=dict[int, str])
    proposals: dict[str, Proposal] = field(default_factory=dict[str, Proposal])
    archive: _Archived = field(default_factory=dict[tuple[str, str], Kept])
    """What stands beside preferences."""
    keys: dict[str, str] = field(default_factory=dict[str, str])
    """Id of a line of the profile -> what it tells."""
    following: _Archived = field(default_factory=dict[tuple[str, str], Kept])
    """What rests on them: it goes too, unless what stays bears it out (`memory.rights.provenance`)."""
    notices: dict[str, tuple[Waiting, ...]] = field(default_factory=dict[str, tuple[Waiting, ...]])
    """Where timers and reminders lie (`memory.store.reminders`) -> which."""
    details: set[str] = field(default_factory=set[str])
    """Detail keys of all of them."""
    times: list[datetime] = field(default_factory=list[datetime])
    """When they were said or made."""

    @property
    def named(self) -> list[tuple[str, str]]:
        """Table and key of all of it, as the table ``withheld`` names them."""
        return [
            *(("preferences", name) for name in self.preferences),
            *(("sentences", str(number)) for number in self.sentences),
            *(("turns", str(number)) for number in self.turns),
            *(("proposals", name) for name in self.proposals),
            *((notices.KIND, key) for key in self.notices),
            *self.archive,
            *((f"{table}{FOLLOWS}", name) for table, name in self.following),
        ]

    @property
    def ids(self) -> frozenset[str]:
        """Ids of the preferences and of what is chosen of the tiers; lines of summaries have none of their own."""
        return frozenset(self.preferences) | {key for table, key in self.archive if table != "summary_lines"}

    def words(self) -> frozenset[str]:
        """Every sentence and text of theirs, whole."""
        texts = {s for p in self.preferences.values() for s in p.sentences} | {s for _, s in self.sentences.values()}
        texts |= {*self.turns.values(), *(p.sentence for p in self.proposals.values())}
        texts |= {one.label for waiting in self.notices.values() for one in waiting}
        texts |= {text for own in self.archive.values() for text in own.texts}
        told = (*self.preferences.values(), *self.proposals.values())
        texts |= {condition.words for p in told for condition in p.conditions}
        return frozenset(text for text in texts if text)

    def told(self) -> frozenset[str]:
        """The sentences that revealed what goes as a whole: they may stand nowhere afterwards."""
        whole = {s for p in self.preferences.values() for s in p.sentences}
        return frozenset(whole | {p.sentence for p in self.proposals.values()})

    def values(self) -> frozenset[str]:
        """The values that the driver's words would give away; of a closed category the value is an ordinary word.

        Of facts their text, since it is what the driver said.
        """
        told = (*self.preferences.values(), *self.proposals.values())
        facts = (own.texts[0] for own in self.archive.values() if own.kind is Kind.FACT)
        return frozenset(p.value for p in told if not is_closed(p.detail)) | {
            text for text in facts if len(words(text)) >= TELLING_WORDS
        }

    def counts(self) -> dict[Kind, int]:
        """How many of each kind."""
        kinds = Counter(own.kind for own in {**self.archive, **self.following}.values())
        if self.preferences:
            kinds[Kind.PREFERENCE] = len(self.preferences)
        return dict(kinds)

    def matches(self) -> Matches:
        """As the port tells it."""
        told = sorted(self.preferences.values(), key=lambda p: p.valid_from, reverse=True)
        return Matches(
            preferences=tuple(told), kinds=self.counts(), sentences=len(self.sentences), turns=len(self.turns),
            proposals=len(self.proposals), asked=tuple(self.proposals.values()), others=self._others(),
            timers=self.waiting("timer"), reminders=self.waiting("reminder"),
        )  # fmt: skip

    def _others(self) -> tuple[Found, ...]:
        """What stands beside preferences, without the lines of summaries that tell the same."""
        own = [one for one in self.archive.values() if one.texts and one.at is not None]
        return tuple(
            Found(
                kind=one.kind, id=one.name, text=one.texts[0], at=one.at, score=1.0,
                tags=(self.keys[one.name],) if one.name in self.keys else (),
            )
            for one in own if one.at is not None
        )  # fmt: skip

    def waiting(self, kind: Literal["timer", "reminder"]) -> int:
        """How many timers or reminders."""
        return sum(one.kind == kind for waiting in self.notices.values() for one in waiting)

    def keep(self, one: Kept, into: _Archived) -> None:
        """Take something in that stands beside preferences."""
        into[one.table, one.name] = one
        self.details.update(one.details)
        if one.at is not None:
            self.times.append(one.at)


def choose(store: Store, what: Selector, about: About) -> Chosen:
    """Everything that meets all conditions of a selector, with what derives from it.

    Raises:
        UnknownEntryError: nothing has that id, no such category, or the selector has no condition.
    """
    if what == Selector():
        raise UnknownEntryError("say what: an id, words, a category, a conversation, a time, or everything")
    details = None if what.key is None else _details(what.key)
    if what.about is not None:
        found = chosen(store, meant(store, what.about, what.period))
        before = set(store.history_of(*found.preferences)) - found.preferences.keys()
        found.preferences.update((p.id, p) for p in store.preferences(history=True, ids=before))
        derive(store, found, about)
        return found
    found = Chosen()
    _choose_preferences(store, what, details, found)
    for proposal in store.proposals():
        said = proposal.sentence, proposal.value
        if (what.names is None or proposal.id in what.names) and _within(details, (proposal.detail,)) and _meets(
            what, said, proposal.said_at, proposal.conversation
        ):  # fmt: skip
            found.proposals[proposal.id] = proposal
    if what.names is None:
        for number, conversation, text, at in told.turns_said(store):
            if _meets(what, (text,), at, conversation) and (details is None or about(text) in details):
                found.turns[number] = text
    for one in told.tiers_said(store, what, details):
        found.keep(one, found.archive)
    if what.id is not None and not found.named:
        raise UnknownEntryError(f"nothing that is remembered has the id {what.id[:80]!r}: list what is remembered")
    _name_entries(store, found)
    if what.everything:
        found.notices = {notices.KEY: notices.stored(store)} if notices.left(store, [notices.KEY]) else {}
    else:
        derive(store, found, about)
    return found


def _details(key: str) -> frozenset[str]:
    """The detail keys under a key; facts have theirs for themselves."""
    return frozenset({FACTS}) if key == FACTS else frozenset(c.detail for c in categories(key))


def chosen(store: Store, named: Iterable[tuple[str, str]]) -> Chosen:
    """The memories with these ids, as ``withheld`` names them, without what derives from them."""
    found = Chosen()
    kinds: dict[str, set[str]] = {}
    for kind, name in named:
        kinds.setdefault(kind, set()).add(name)
    if "preferences" in kinds:
        held = store.preferences(history=True, ids=kinds["preferences"])
        found.preferences = {p.id: p for p in held}
        found.times = [p.valid_from for p in held]
    for own in store.sentences().values() if "sentences" in kinds else ():
        found.sentences.update((s.number, (s.preference, s.text)) for s in own if str(s.number) in kinds["sentences"])
    found.proposals = {p.id: p for p in store.proposals() if p.id in kinds.get("proposals", ())}
    found.turns = {number: text for number, text in store.turns() if str(number) in kinds.get("turns", ())}
    found.notices = {key: notices.stored(store, key) for key in sorted(kinds.get(notices.KIND, ()))}
    for one in told.tiers_named(store, kinds):
        found.keep(one, found.archive)
    _name_entries(store, found)
    found.details |= {p.detail for p in (*found.preferences.values(), *found.proposals.values())}
    return found


def _name_entries(store: Store, found: Chosen) -> None:
    names = {name for table, name in found.archive if table == "profile"}
    found.keys = {name: key for name, (key, _) in told.profile_lines(store).items() if name in names}


def _choose_preferences(store: Store, what: Selector, details: frozenset[str] | None, found: Chosen) -> None:
    names: set[str] | None = None
    if what.names is not None:
        names = set(what.names)
    if what.text is not None or what.period is not None or what.conversation is not None:
        named = told.preferences_said(store, what)
        names = named if names is None else names & named
    wanted = None if details is None else sorted(details)
    held = {p.id: p for p in store.preferences(wanted, history=True, ids=names)}
    spoken = what.period is not None or what.conversation is not None
    said = store.sentences(held) if what.text is not None or spoken else {}
    for name, preference in held.items():
        own = said.get(name, [])
        met = [s for s in own if _meets(what, (s.text, preference.value), s.said_at, s.conversation)]
        alone = not own and _meets(what, (preference.value,), preference.valid_from, preference.conversation)
        plain = what.text is None and not spoken
        if plain or alone or (met and len(met) == len(own)):
            found.preferences[name] = preference
        else:
            found.sentences.update((s.number, (name, s.text)) for s in met)
            found.times += [s.said_at for s in met]
        if met or alone or plain:
            found.details.add(preference.detail)
    if what.text is not None:
        _leave_neighbours(what.text, held, said, found)
    if not spoken:
        before = set(store.history_of(*found.preferences)) - found.preferences.keys()
        if before:
            found.preferences.update((p.id, p) for p in store.preferences(history=True, ids=before))
    found.times += [p.valid_from for p in found.preferences.values()]


def _leave_neighbours(
    text: str, held: Mapping[str, Preference], said: Mapping[str, Sequence[Sentence]], found: Chosen
) -> None:
    """What was only told in the same breath as a value that is meant stays: the value is taken out of its sentences."""
    meant = {name for name in found.preferences if holds(held[name].value, text)}
    told = {s.text for name in meant for s in said.get(name, ())}
    for name in found.preferences.keys() - meant:
        own = said.get(name, ())
        if own and all(s.text in told for s in own):
            del found.preferences[name]
    found.sentences = {
        number: (name, sentence)
        for number, (name, sentence) in found.sentences.items()
        if sentence not in told or holds(held[name].value, text)
    }


def derive(store: Store, found: Chosen, about: About) -> None:
    """Add what tells the same in other places, and what was made of it, and what was made of that."""
    goes = [(p.detail, p.value, p.sentences) for p in found.preferences.values()]
    goes += [(p.detail, p.value, (p.sentence,)) for p in found.proposals.values()]
    sentences = {s for _, _, own in goes for s in own}
    closed = {detail for detail, _, _ in goes if is_closed(detail)}
    for proposal in store.proposals():
        same = any(d == proposal.detail and (is_closed(d) or fold(v) == fold(proposal.value)) for d, v, _ in goes)
        if same or proposal.sentence in sentences or _tells(proposal.sentence, found, closed, about):
            found.proposals.setdefault(proposal.id, proposal)
    if goes or found.values():
        for number, text in store.turns():
            if text in sentences or _tells(text, found, closed, about):
                found.turns[number] = text
    for one in told.tiers_telling(
        store, Needles([*found.values(), *sentences, *(t for _, t in found.sentences.values())])
    ):
        found.keep(one, found.archive)
    fresh = found.ids
    while fresh:
        before = found.ids | {key for table, key in found.following if table != "summary_lines"}
        for one in told.tiers_resting(store, fresh):
            if (one.table, one.name) not in found.archive:
                found.keep(one, found.following)
        fresh = {key for table, key in found.following if table != "summary_lines"} - before


def _tells(text: str, found: Chosen, closed: set[str], about: About) -> bool:
    return any(holds(text, value) for value in found.values()) or (bool(closed) and about(text) in closed)


def _within(details: frozenset[str] | None, own: Iterable[str]) -> bool:
    return details is None or any(detail in details for detail in own)


def _meets(what: Selector, texts: Iterable[str], at: datetime, conversation: str) -> bool:
    """Whether what was said then and there meets the conditions on words, time and conversation."""
    if what.text is not None and not any(holds(text, what.text) for text in texts):
        return False
    if what.period is not None and not what.period.holds(at):
        return False
    return what.conversation is None or spoken_in(conversation, what.conversation)
