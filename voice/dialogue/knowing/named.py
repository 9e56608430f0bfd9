"""Who was named in an utterance, and whom "him", "her" and "them" mean after it.

Pure; English. A name is a capital letter where nothing else has one, a word of kinship ("my brother Tom", "mum"), or what is told,
asked, called or written to. Who is in the contacts is the vehicle's to know.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from models.text import MONTHS, WEEKDAYS

MOST = 4
"""Utterances with names that are kept. Our choice: whoever was named before them needs to be named again."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who was named."""

    name: str
    pronoun: str = ""
    """``him`` or ``her``, where a word of kinship tells it."""


People = tuple[tuple[Person, ...], ...]
"""Who was named in the last utterances that named somebody, the last one first."""

_MEN = "husband boyfriend brother father dad daddy son grandfather grandad grandpa uncle nephew"
_WOMEN = "wife girlfriend sister mother mum mummy mom mommy daughter grandmother grandma granny nan aunt auntie niece"
_OTHERS = (
    "partner fiance fiancee cousin boss colleague friend neighbour neighbor doctor dentist teacher assistant flatmate"
)
_PRONOUNS = {**dict.fromkeys(_MEN.split(), "him"), **dict.fromkeys(_WOMEN.split(), "her")}
_KIN = "|".join(f"{_MEN} {_WOMEN} {_OTHERS}".split())
_UNOWNED = frozenset("dad daddy grandad grandpa mum mummy mom mommy grandma granny nan".split())
"""Words of kinship that are said without whose."""
_WORD = r"[^\W\d_][\w-]*"
_DOES = r"(?:is|was|has|had|likes|loves|hates|lives|works|wants|needs|will|can|can't|got|said|says|called|rang|moved)"
_OF_KIN = re.compile(
    rf"\b(?:(?P<whose>my|our|your|his|her|their) (?:\w+ )?)?(?P<kin>{_KIN})\b"
    rf"(?:(?:'s name is| is called| is named| called| named|, whose name is,?) (?P<called>{_WORD})"
    rf"|,? (?P<beside>{_WORD})(?=(?:'s)? {_DOES}\b))?",
    re.IGNORECASE,
)
_TOLD = re.compile(
    rf"\b(?:(?:tell|ask|text|message|email|mail|ring|phone|call|inform|thank|invite|facetime|whatsapp)|"
    rf"(?:write|talk|speak|listen|message|email|text|call) (?:back )?(?:to|with)|let(?= {_WORD} know\b)|"
    rf"give(?= {_WORD} an? (?:ring|bell|call|shout|buzz)\b)) (?P<name>{_WORD})",
    re.IGNORECASE,
)
_WRITTEN = re.compile(r"[A-Z][\w-]+(?: [A-Z][\w-]+)*")
_PLACED = re.compile(
    r"\b(?:in|at|from|near|through|via|on|into|of|by|the|to|towards|this|next|last|every)\s+$", re.IGNORECASE
)
"""Before a place, a day or a thing."""
_ADDRESSED = re.compile(r"\b(?:talk|talked|speak|spoke|write|wrote|listen|message|married|call) to\s+$", re.IGNORECASE)
_BEGINS = re.compile(r"(?:^|[.!?]\s+)$")
_VERB_BEHIND = re.compile(rf"^(?:'s|,? (?:and [A-Z]\w+ )?{_DOES})\b")
_NOBODY = frozenset(
    {day.lower() for day in (*WEEKDAYS, *MONTHS)}
    | set(
        """i i'm i've i'd i'll me you him her them it us we he she they who what which where when why how the a an my our your his
        their this that these those there here someone somebody everyone everybody anyone anybody nobody people all both one
        about on off for to up down at in out from with if and or not no yes okay please now again then back some any more
        so just only them's english german french christmas easter whom whoever else instead""".split()
    )
)
"""Words that name nobody, also where they have a capital letter or stand where a name may."""
_REFERS = re.compile(r"\b(?:(?P<him>him|he|his)|(?P<her>her|she|hers)|(?P<them>them|they|their))\b")
_ALONE = frozenset("him he his her she hers them they their".split())


def named(text: str) -> tuple[Person, ...]:
    """Who is named in a text as it was heard or typed, in that order; without capital letters only what its words tell.

    Args:
        text: an utterance, or a reply.
    """
    found = dict[int, Person]()
    taken = list[tuple[int, int]]()
    written = text[:1].isupper() or any(letter.isupper() for letter in re.sub(r"\bI\b", "", text))
    for kin in _OF_KIN.finditer(text):
        word = kin["kin"].lower()
        if kin["whose"] is None and word not in _UNOWNED:
            continue
        name, at = kin["called"] or kin["beside"], kin.end("called" if kin["called"] else "beside")
        if name is None and (after := re.match(r",? ([A-Z][\w-]*)", text[kin.end() :])):
            name, at = after[1], kin.end() + after.end()
        if name is None or not _may_name(name, written=written):
            name, at = f"{'my ' if kin['whose'] else ''}{word}", kin.end("kin")
        found[kin.start()] = Person(name, _PRONOUNS.get(word, ""))
        taken.append((kin.start(), at))
    for told in _TOLD.finditer(text):
        if _may_name(told["name"], written=written) and not written:
            found[told.start("name")] = Person(told["name"])
            taken.append(told.span("name"))
    for name in _WRITTEN.finditer(text) if written else ():
        if not any(begin <= name.start() < end for begin, end in taken) and (who := _of_somebody(text, name)):
            found[name.start()] = Person(who)
    return _once(found[at] for at in sorted(found))


def names(person: str) -> tuple[str, ...]:
    """The names in what was read as whom to call or write to ("anna and ben"); none where it is only a pronoun."""
    parts = (part.strip().removesuffix("'s") for part in re.split(r",| and ", person))
    return tuple(part for part in parts if part and not set(part.lower().split()) <= _ALONE | _NOBODY)


def _may_name(word: str, *, written: bool) -> bool:
    return word.lower() not in _NOBODY and (word[0].isupper() or not written)


def _of_somebody(text: str, name: re.Match[str]) -> str:
    """The person's name that words with capital letters are, by what stands around them; empty where they are none."""
    before, behind = text[: name.start()], text[name.end() :]
    first, _, rest = name[0].partition(" ")
    who = name[0]
    if _BEGINS.search(before) and (first.lower() in _NOBODY or _VERB_BEHIND.match(behind) is None):
        who = rest  # any word has a capital letter where a sentence begins
    if {word.lower() for word in who.split()} & _NOBODY:
        return ""
    return who if _PLACED.search(before) is None or _ADDRESSED.search(before) is not None else ""


def _once(people: Iterable[Person]) -> tuple[Person, ...]:
    """Each of them once; a first name and a whole one are the same."""
    found = list[Person]()
    for person in people:
        words = set(person.name.lower().split())
        same = next((n for n, one in enumerate(found) if words <= set(one.name.lower().split())), None)
        longer = next((n for n, one in enumerate(found) if words > set(one.name.lower().split())), None)
        if longer is not None:
            found[longer] = Person(person.name, found[longer].pronoun or person.pronoun)
        elif same is None:
            found.append(person)
    return tuple(found)


def with_last(people: People, named_now: Sequence[Person]) -> People:
    """Who was named last, once these were named; the same where nobody was."""
    return (_once(named_now), *people)[:MOST] if named_now else people


def meant(pronoun: str, people: People) -> tuple[Person, ...]:
    """Whom a pronoun may mean: those of the last utterance that named somebody whom it fits.

    Args:
        pronoun: ``him``, ``her`` or ``them``.
        people: who was named last.
    """
    fitting = (tuple(one for one in group if pronoun == "them" or one.pronoun in ("", pronoun)) for group in people)
    return next((group for group in fitting if group), ())


def referred(person: str, text: str) -> tuple[str, str]:
    """The pronoun that a person who was read in an utterance is, and what was said before it; both empty where it is a name.

    A name that was not said is none either, where a pronoun was: the parser knows who was spoken of by what was done last.

    Args:
        person: as it was read.
        text: the utterance.
    """
    spoken = text.lower()
    said = set(re.findall(r"[\w'-]+", spoken))
    found = _REFERS.search(spoken)
    words = set(person.lower().split())
    unsaid = not {word.removesuffix("'s") for word in words} & {word.removesuffix("'s") for word in said}
    if found is None or not (words <= _ALONE or unsaid):
        return "", ""
    return str(found.lastgroup), text[: found.start()]
