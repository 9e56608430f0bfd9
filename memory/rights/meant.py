"""What a driver means by words of their own: "that I like jazz", "where I work", "our talk about Lisbon".

Words are looked for by their stems, in any order; how something is told ("what I said about", "I like") counts for nothing. What is
known of the driver comes first: where such a thing is meant, of what was talked about only that goes along which tells its value.
Reads the tables, writes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory.recall.lexical import ASKING, STOP, stem, stems
from memory.store import words as told
from memory.store.preferences import Store
from models.text import contains, spoken, words
from schemas.memory import Period, Selector
from schemas.preferences import BY_DETAIL, SUB_TITLES

TELLING = (
    ASKING
    | STOP
    | frozenset(
        stem(word)
        for word in """us ours like likes liked love loves loved prefer prefers enjoy want wants favourite favorite best usual
    usually always never
    often sometimes mostly really again also just ever any anymore more now only all everything anything something thing stuff bit
    fact part bits things forget know knows knew learn learned learnt store stored keep kept note notes record records heard hear
    conversation conversations talk talked talking chat discussion words name called call summary thought thoughts conclusion
    memory mind people person place get got have had having going go goes let made make said say saying telling memories data
    info information file profile list head trace
    forgetting hold must should need mustn shouldn needn delete deleting deleted erase erasing erased remove removing removed
    drop lose clear wipe don doesn didn isn aren wasn weren won wouldn couldn haven hasn hadn ain let""".split()
    )
)
"""Stems that say how something is told, and not what. Our list."""
PLAIN = frozenset(stem(word) for word in ("yes", "no", "low", "medium", "high", "warm", "cool", "cheap"))
"""Values that are ordinary words: they name nothing by themselves."""
_TITLES = {"name": "name, nickname"}
"""Keys of the profile that drivers call otherwise."""
_DIGIT = re.compile(r"\d")
_KNOWN = frozenset({"preferences", "proposals", "profile", "facts"})
_SPOKEN = frozenset({"episodes", "turns"})
"""Tables of what the driver said, as it was said."""


@dataclass(frozen=True, slots=True)
class Thing:
    """What may be meant."""

    table: str
    name: str
    value: frozenset[str]
    """Stems that only a thing known of the driver has; empty for what was said."""
    own: frozenset[str]
    """Stems of what it says by itself."""
    said: frozenset[str] = frozenset()
    """Stems of the sentences that it was told in."""
    texts: frozenset[str] = frozenset()
    """The driver's sentences that it is or was told in, in plain words; copies of one sentence are one thing."""
    title: str = ""
    """What that which is known is called: its category, the key of a line of the profile."""
    words: str = ""
    """Its value."""
    detail: str = ""
    """Detail key of its category."""


def asked_for(text: str) -> frozenset[str]:
    """The stems of a phrase that say what it is about, numbers as they are spoken."""
    return _stems(text) - TELLING


def meant(store: Store, text: str, period: Period | None = None) -> list[tuple[str, str]]:
    """Table and key of what a phrase means, as ``memory.rights.selection.chosen`` takes them; nothing where it names nothing."""
    phrase = asked_for(text)
    if not phrase:
        return []
    known, talk = list(known_of(store)) if period is None else [], list(talk_of(store, period))
    said = _stems(text)
    found = [one for one in known if _names(one, said)]
    found = [one for one in found if phrase <= one.own | one.said] or found  # "the harbour tunnel" is no harbour
    if found:  # of what else is called so, only what has the words itself: "talk radio" is no station
        found += [one for one in known if one not in found and phrase & one.value and phrase <= one.value | one.said]
    else:
        found = [one for one in known if phrase & one.own and phrase <= one.own | one.said]
    if found:
        values = [one.value for one in found if one.value - PLAIN]
        found += [one for one in talk if any(value <= one.own for value in values)]
    else:
        found = [one for one in talk if phrase <= one.own] + [one for one in known if phrase <= one.said]
    alone = not any(one.table in _KNOWN for one in found)
    return [*((one.table, one.name) for one in found), *(_told_with(store, known, talk, found) if alone else ())]


def _told_with(store: Store, known: list[Thing], talk: list[Thing], found: list[Thing]) -> Iterator[tuple[str, str]]:
    """What else holds the sentences of what was said: copies, what they told of the driver, what waits for a yes."""
    heard = {text for one in found if one.table in _SPOKEN for text in one.texts}
    yield from ((one.table, one.name) for one in talk if one not in found and one.texts and one.texts <= heard)
    for one in known:
        if one.table == "facts":
            told = any(contains(text, fact) for text in heard for fact in one.texts)
        else:
            told = bool(one.texts) and one.texts <= heard
        if told:
            yield one.table, one.name
        elif one.table == "preferences" and one.texts & heard:
            own = store.sentences([one.name]).get(one.name, [])
            yield from (("sentences", str(each.number)) for each in own if plain(each.text) in heard)


def plain(text: str) -> str:
    """A text in plain words."""
    return " ".join(words(text))


def _names(one: Thing, said: frozenset[str]) -> bool:
    """Whether words have the whole value of a thing that is known."""
    return bool(one.value - PLAIN) and one.value <= said


def _stems(*texts: str) -> frozenset[str]:
    return frozenset(one for text in texts for one in stems(spoken(text) if _DIGIT.search(text) else text))


def _texts(*texts: str) -> frozenset[str]:
    return frozenset(told for text in texts if (told := plain(text)))


def _titles(detail: str) -> frozenset[str]:
    """Stems of what a category and the one above it are called: "music" is its genres and its singers."""
    category = BY_DETAIL[detail]
    return _stems(category.title, SUB_TITLES.get(category.path[1], category.path[1].replace("_", " ")))


def known_of(store: Store) -> Iterator[Thing]:
    """Preferences, those that hold no more among them, what waits for the driver's yes, the profile, and facts."""
    for one in store.preferences(history=True):
        value = _stems(one.value)
        yield Thing(
            "preferences", one.id, value, value | _titles(one.detail), _stems(*one.sentences), _texts(*one.sentences),
            BY_DETAIL[one.detail].title, one.value, one.detail,
        )  # fmt: skip
    for one in store.proposals():
        value = _stems(one.value)
        yield Thing(
            "proposals", one.id, value, value | _titles(one.detail), _stems(one.sentence), _texts(one.sentence),
            BY_DETAIL[one.detail].title, one.value, one.detail,
        )  # fmt: skip
    for name, (key, text) in told.profile_lines(store).items():
        value = _stems(text)
        title = _TITLES.get(key, key.replace("_", " "))
        yield Thing("profile", name, value, value | _stems(title), title=title, words=text)
    for one in store.facts.all():
        value = _stems(one.text)
        yield Thing("facts", one.id, value, value | _stems(one.about, one.until_words), texts=_texts(one.text))


def talk_of(store: Store, period: Period | None) -> Iterator[Thing]:
    """What was said, what was made of it, and what waits to be learnt from; a line of a summary has the text of its source."""
    said = dict[str, frozenset[str]]()
    for one in told.tiers_said(store, Selector(period=period), None):
        if one.table not in ("profile", "facts"):
            texts = said.get(one.name) if one.table == "summary_lines" else _texts(one.texts[0])
            if one.table in _SPOKEN:
                said[one.name] = _texts(one.texts[0])
            yield Thing(one.table, one.name, frozenset(), _stems(*one.texts), texts=texts or _texts(one.texts[0]))
    for number, _, text, at in told.turns_said(store):
        if period is None or period.holds(at):
            yield Thing("turns", str(number), frozenset(), _stems(text), texts=_texts(text))
