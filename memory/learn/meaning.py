"""What the marks of a sentence say of a value in it: in what sense, whether it holds, whose it is, and under which conditions.

The marks are a small network's (`models.marks`), which categories there are and what their values stand for is known here. Where
nothing is marked the encoder's own view of the sentence is left to count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from memory.learn.english.canonical import bare_name, is_closed
from memory.learn.english.clauses import halves
from memory.learn.english.conditions import condition, same
from memory.learn.english.negation import clause
from models.text import contains, normal, words
from schemas.kinds import CONDITION_LABELS, LABELS, OTHER, OWN, VALUES, Condition, Label, Marked, Part, Sense
from schemas.ports import Encoder

SURELY = 0.9
"""Share from which on words are a condition that no closed value names. Our choice."""
_JOINING = frozenset(
    "when whenever if while out in on at the a my here car with for to as so i i'm we it's it is during of let's let traffic all "
    "from now on".split()
)
"""Words that only join: a condition of nothing else is none."""
AT = 0.5
"""Share from which on a value counts as marked; the training's own middle."""
DOUBT = 0.3
"""Up to this share of what speaks the other way a sense is stored without asking."""
FOREIGN_AT = 0.7
"""From this share of its marks on a value is supposed, quoted, somebody else's, and so not the driver's."""
UNREAL_NONE_AT = 0.3
"""What the encoder has to give, too, to the sentence of such a value revealing nothing, where it is not somebody else's."""
SENSES = {
    Label.LIKES: Sense.LIKES,
    Label.DISLIKES: Sense.DISLIKES,
    Label.AVOIDS: Sense.AVOIDS,
    Label.NEEDS: Sense.NEEDS,
}
ROADS, DIET, ACCESSIBLE = (
    "avoidance_of_specific_road_types",
    "dietary_preference",
    "need_for_handicapped_accessible_parking",
)
FREE = " free"
"""How the values of a diet end that leave something out: they say by themselves what is avoided."""


_OUTRIGHT = re.compile(
    r"^(?:(?:i|we) (?:(?:really|do|just|also|quite|absolutely) )*(?:like|love|adore|enjoy)|"
    r"(?:i'm|i am|we're|we are) (?:(?:really|just|also|quite) )*(?:into|fond of|(?:a )?(?:big |huge |great )?fans? of)|"
    r"(?P<against>(?:i|we) (?:(?:really|do|just|also|quite|absolutely) )*"
    r"(?:(?:don't|do not) (?:really )?(?:like|enjoy)|hate|dislike|detest|can't stand|cannot stand))) "
    r"(?:the |some )?(?P<thing>.+?)(?: (?:music|food|songs|podcasts))?$"
)
"""A sentence that is nothing but a liking or a dislike."""

_ARTICLES = frozenset(("a", "an", "the", "some"))
_BEARS = "(?:take|stand|bear|face|stomach|handle|tolerate|manage|listen to|cope with|deal with|do with|put up with)"
_ONLY_BEARS = re.compile(
    rf"\b(?:can|could) (?:really |just )?only (?:really |just )?{_BEARS} (?!(?:so|this|that|a) (?:much|many|bit|little|few))"
    r"(?:[\w']+ ){0,2}$"
)
_ONE_BORNE = re.compile(
    rf"\b(?:all|only (?:[\w']+ ){{1,3}}?)(?:that )?(?:i|we) can {_BEARS} (?:[\w' ]* )?(?:is|are) (?:[\w']+ ){{0,2}}$"
)
"""What stands before the one thing that a driver can bear, which is what they want."""


class Holds(StrEnum):
    """Whether a value is the driver's own and holds."""

    YES = "yes"
    ENDED = "ended"
    """It held once."""
    OTHERS = "others"
    """It is somebody else's."""
    UNREAL = "unreal"
    """It is supposed, asked, quoted, ironic, or wanted this once."""
    UNTOLD = "untold"
    """Nothing marks it."""


class Over(StrEnum):
    """Whether a value is said to hold no more."""

    NO = "no"
    PERHAPS = "perhaps"
    """The wording says so, the encoder does not: the driver is asked."""
    YES = "yes"


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a sentence says of a value."""

    sense: Sense
    holds: Holds
    share: float
    """Of what it is taken for."""
    doubt: float = 0.0
    """Of what is said of the driver, the smaller of what speaks for the value and what speaks against it."""
    conditions: tuple[Condition, ...] = ()
    past: float = 0.0
    """Share of its words that once held,"""
    foreign: float = 0.0
    """and that are supposed, asked, quoted, or somebody else's."""


def meaning(marked: Marked, detail: str, said: str, value: str) -> Meaning:
    """What a marked sentence says of a value.

    Args:
        marked: the sentence.
        detail: detail key.
        said: the words of it that carry the value; the whole sentence where no words do.
        value: canonical.
    """
    own = words(said)
    place = marked.places(own) if len(own) > 1 and own[0] in _ARTICLES else None
    if place is not None and marked.shares is not None and marked.shares[place[0], 0] >= AT:
        own = own[1:]  # "a | McDonald's"
    shares = outright(marked.text, said) or _borne(marked, " ".join(own))

    def of(*labels: Label) -> float:
        return sum(shares.get(label, 0.0) for label in labels)

    wanted, unwanted, past = of(Label.LIKES, Label.NEEDS), of(Label.DISLIKES, Label.AVOIDS), of(Label.PAST)
    told = {
        Holds.YES: wanted,
        Holds.ENDED: unwanted + past,
        Holds.OTHERS: of(Label.OTHERS),
        Holds.UNREAL: of(Label.UNREAL),
    }
    holds = max(told, key=told.__getitem__)
    share = told[holds]
    own = (Label.LIKES, Label.NEEDS) if holds is Holds.YES else (Label.DISLIKES, Label.AVOIDS)
    if holds is Holds.ENDED and unwanted >= past:
        holds = Holds.YES
    best = max(own, key=lambda label: shares.get(label, 0.0)) if holds is Holds.YES else Label.LIKES
    sense = sense_of(detail, value, SENSES[best])
    if detail == ROADS and holds is Holds.YES and best is Label.LIKES and wanted >= AT:
        holds = Holds.ENDED  # who likes motorways does not avoid them
    doubt = min(wanted, unwanted + past) / max(wanted + unwanted + past, 1e-9)
    foreign = told[Holds.OTHERS] + told[Holds.UNREAL]
    if share < AT:
        holds = Holds.UNTOLD
    return Meaning(sense, holds, share, doubt, conditions(marked, said), past, foreign)


def not_own(told: Meaning, nothing: float, *, tale: bool) -> bool:
    """Whether a value is not the driver's at all, or not now; what is wanted this once may become a habit, so it may wait for that.

    Args:
        told: what is said of it.
        nothing: the encoder's probability that its sentence reveals nothing.
        tale: whether what once held is only told of, and ends nothing: "with the old car i wouldn't park it without a guard".
    """
    if told.holds is Holds.ENDED and tale:
        return told.past >= AT
    if told.holds is Holds.UNREAL:
        return told.share >= FOREIGN_AT and nothing >= UNREAL_NONE_AT
    return told.holds is Holds.OTHERS and told.share >= FOREIGN_AT


def in_its_statement(encoder: Encoder, text: str, detail: str, said: str, value: str, *, surely: bool) -> Meaning:
    """What a sentence says of a value: the statement of it that holds the value, where it makes several.

    ``surely``: the dialogue is sure that the sentence tells something, so that what its marks divide it into counts.
    """
    marked = encoder.marks(text)
    own = next((one for one in (*(stated(marked) if surely else ()), *halves(text)) if contains(one, said)), text)
    told = meaning(encoder.marks(own), detail, said, value)
    if (
        surely and told.doubt > DOUBT and not marked.parts({Label.HOLDER}, AT)
    ):  # the words round it may say it more plainly
        alone = meaning(encoder.marks(clause(text, said)), detail, said, value)
        told = replace(alone, conditions=told.conditions) if alone.doubt <= DOUBT < alone.share else told
    if not told.conditions and own != text:  # a part of a sentence tells less surely what is one
        told = replace(told, conditions=conditions(marked, said, within=own))
    return told


def outright(text: str, said: str) -> Mapping[Label, float] | None:
    """The share of a sentence that is nothing but "I like ..." or "I don't like ...", whatever its marks; None for others."""
    found = _OUTRIGHT.match(normal(text).rstrip(" .!"))
    if found is None or words(said) != words(bare_name(found["thing"])):
        return None
    return {Label.DISLIKES if found["against"] else Label.LIKES: 1.0}


def _borne(marked: Marked, said: str) -> Mapping[Label, float]:
    """The shares of a value, where nothing but it can be borne as liked: the marks take "i can only stand jazz" for a no."""
    shares, text = marked.of(words(said)), normal(marked.text)
    before = text[: max(text.find(normal(said)), 0)]
    if not shares or not (_ONLY_BEARS.search(before) or _ONE_BORNE.search(before)):
        return shares
    against = {Label.DISLIKES: 0.0, Label.AVOIDS: 0.0}
    liked = sum(shares.get(label, 0.0) for label in (Label.LIKES, *against))
    return {**shares, **against, Label.LIKES: liked}


def unmarked(marked: Marked, said: str) -> bool:
    """Whether words of a sentence are surely no value, as others of it are: "i hate garages, they give me the jitters"."""
    if marked.places(words(said)) is None or not marked.parts(OWN, AT):
        return False
    shares = marked.of(words(said))
    return sum(shares.get(label, 0.0) for label in (Label.NOTHING, *CONDITION_LABELS)) >= SURELY


_REFUSED_WITH = re.compile(
    r"(?:n't|\bnot|\bnever|\bcannot) (?:[\w'-]+ ){2,6}"
    r"(?<!up )(?<!bothered )(?<!done )(?<!cope )(?<!deal )(?<!do )(?<!start )with an? $"
)
_HAVE_WITH = frozenset(("charging_station_onsite_amenities", "preferred_payment_method"))
"""Categories of what a place has, or somebody pays with."""


_UNMARKED = frozenset(("airflow_direction_preferences", "preferred_temperature", "preferred_payment_method"))
"""Categories whose values the marks often leave out."""


def idle(marked: Marked, detail: str, said: str) -> bool:
    """Whether words are surely no value of an open category: they are part of nothing, or only what something else is refused with.

    "They give me the jitters", "i wouldn't go near it with a long stick".
    """
    plain, bare = normal(marked.text), re.sub(r"^an? ", "", normal(said))
    along = detail not in _HAVE_WITH and _REFUSED_WITH.search(plain[: max(plain.find(bare), 0)]) is not None
    return along or (detail not in _UNMARKED and unmarked(marked, said))


def sense_of(detail: str, value: str, told: Sense) -> Sense:
    """The sense in which a value is stored that was told in this one: of some categories the value says it by itself."""
    if detail == ROADS:
        return Sense.AVOIDS
    if detail == ACCESSIBLE:
        return Sense.NEEDS
    if detail == DIET:
        return Sense.NEEDS if told is Sense.AVOIDS or value.endswith(FREE) else told
    return Sense.LIKES if is_closed(detail) or detail == "preferred_temperature" else told


def agreed(told: Meaning, detail: str, value: str, *, worded: bool, praised: bool) -> Meaning:
    """What is marked as disliked or over, held against the wording where the marks are not sure: refusing words may praise."""
    if told.doubt <= DOUBT:
        if worded:
            return told
        if told.holds is Holds.YES and not praised:
            return replace(told, doubt=0.5)  # "underground car parks freak me out": asked about as it is marked
    liked = sense_of(detail, value, Sense.LIKES)
    return replace(told, sense=liked, holds=Holds.UNTOLD, doubt=0.0 if praised else 0.5)


def named(marked: Marked, said: Sequence[str]) -> list[str]:
    """The words of a value as they are marked where they are only some of them, those first that are the driver's own and hold.

    Where other words are surely the driver's own and these are part of nothing, those others.
    """
    values = marked.parts(VALUES)
    found: dict[str, bool] = {}
    elsewhere = bool(said)
    for one in said:
        place = marked.places(words(one))
        over = [v for v in values if place is not None and v.start < place[1] and v.end > place[0]]
        elsewhere = elsewhere and place is not None and not over
        wider = next((v for v in over if place is not None and v.start <= place[0] and v.end >= place[1]), None)
        found[wider.text if wider is not None else _without_lead(marked, one, over)] = any(v.label in OWN for v in over)
    sure = [part.text for part in marked.parts(OWN, AT if all(unmarked(marked, one) for one in said) else SURELY)]
    if sure and elsewhere:
        return sure
    return sorted(found, key=lambda text: not found[text])


def holding(marked: Marked, said: Sequence[str]) -> list[str]:
    """The words of a value, those last that only held once: in "it was Spotify, but I'm on YouTube Music" it is the latter.

    Where all of them only held once, what is surely the driver's own now comes before them.
    """
    past, own = marked.parts({Label.PAST}, AT), marked.parts((Label.LIKES, Label.NEEDS), SURELY)

    def over(one: str) -> bool:
        at = marked.places(words(one))
        return at is not None and any(v.start < at[1] and v.end > at[0] for v in past)

    return [*(own[0].text for _ in said[:1] if len(own) == 1 and all(map(over, said))), *sorted(said, key=over)]


def _without_lead(marked: Marked, said: str, over: Sequence[Part]) -> str:
    """The words of a value from where they are surely marked on, if those before are surely none of it: "bear | talk radio"."""
    parts = words(said)
    at = next(
        (n for n in range(1, len(parts)) if any(words(v.text) == parts[n:] and v.share >= SURELY for v in over)), 0
    )
    return " ".join(parts[at:]) if at and unmarked(marked, " ".join(parts[:at])) else said


_JOINT = re.compile(
    r"[,;.!?]+\s*(?:(?:and|but|so|then)\s+)?|\s+(?:and|but|so|though|although|whereas)\s+", re.IGNORECASE
)
"""What stands between two statements."""
_POINTING = frozenset("it them they that this those these one ones".split())
"""Words that name nothing by themselves."""
LEAST_SAID = 2
"""Words of a statement beside its values and conditions: "rock | is my thing"; fewer only name one more thing."""


def stated(marked: Marked) -> tuple[str, ...]:
    """The statements of a sentence that has marked values in several, without those that only say what was once; else nothing."""
    values = [part for part in marked.parts(OWN | {Label.PAST}, AT) if not set(words(part.text)) <= _POINTING]
    cuts = [0]
    for one, other in pairwise(values):
        between = _JOINT.search(marked.text, marked.spans[one.end - 1][1], marked.spans[other.start][0])
        cuts += [*between.span()] if between is not None else []
    pieces = [*zip(cuts[::2], [*cuts[1::2], len(marked.text)], strict=True)]
    named = [*values, *marked.parts(CONDITION_LABELS, AT)]
    found: list[str] = []
    for start, end in pieces if len(pieces) > 1 else ():
        inside = [at for at, (first, last) in enumerate(marked.spans) if first >= start and last <= end]
        if sum(not any(part.start <= at < part.end for part in named) for at in inside) < LEAST_SAID:
            return ()
        if any(value.label in OWN and value.start in inside for value in values):
            found.append(marked.text[start:end])
    return tuple(found)


_CONTRAST = re.compile(r"\b(?:but|though|although|whereas|while|otherwise|then)\b", re.IGNORECASE)
_EXCEPT = re.compile(
    r"\b(?:except|excepting|apart from|other than|unless|but (?:not|never)|just not|only not)"
    r"(?: (?:on|in|at|for|when|if|during|the))*\s+$",
    re.IGNORECASE,
)


def conditions(marked: Marked, said: str, *, within: str = "") -> tuple[Condition, ...]:
    """The conditions of a value: of each kind the nearest one, without those that stand by another value.

    ``within``: only what stands in this part of the sentence.
    """
    place = marked.places(words(said))
    values = marked.parts(OWN)
    own = next((v for v in values if place is not None and v.start < place[1] and v.end > place[0]), None)
    parts = [
        whole
        for part in marked.parts(CONDITION_LABELS)
        if not _hollow(whole := _whole_clause(marked, part)) and not _excepted(marked, whole)
    ]
    leads = bool(parts and values) and parts[0].start < values[0].start

    def apart(part: Part, value: Part) -> tuple[int, bool]:
        """How far they are, and of two as far whether it stands where the first does: "in summer 20 and in winter 23"."""
        return _gap(marked, part, value), (part.start < value.start) != leads

    found: dict[Label, Part] = {}
    for part in parts:
        between = any(v.end <= part.start for v in values) and any(v.start >= part.end for v in values)
        if own is not None and between and any(_gap(marked, part, v) < _gap(marked, part, own) for v in values):
            continue
        if own is not None and any(_contrasted(marked, own, v, part) for v in values):
            continue
        other = found.get(part.label)
        if other is None or (own is not None and apart(part, own) < apart(other, own)):
            found[part.label] = part
    near = (part for part in (*found.values(), *(() if parts else _unmarked_if(marked, place))))
    return tuple(condition(part.label, part.text) for part in near if not within or contains(within, part.text))


def elsewhen(marked: Marked, said: Sequence[str], parts: Sequence[str]) -> list[str]:
    """Those of a value's other words that hold under conditions of their own: "radio 4 in the morning and jazz fm at night"."""
    taken = [conditions(marked, one) for one in said]
    found: list[str] = []
    own = marked.parts(OWN)
    for one in parts:
        place = marked.places(words(one))
        marks = place is not None and any(v.start < place[1] and v.end > place[0] for v in own)
        when = conditions(marked, one)
        if one not in said and marks and when and not any(same(when, other) for other in taken):
            found.append(one)
            taken.append(when)
    return found


def unconditioned(marked: Marked, text: str) -> str:
    """A sentence without the words of its conditions: in "I like my seat warm in winter" the winter says nothing of the warmth."""
    left = [(start, end) for start, end in marked.spans]
    for part in marked.parts(CONDITION_LABELS, SURELY):
        left[part.start : part.end] = [(0, 0)] * (part.end - part.start)
    return " ".join(marked.text[start:end] for start, end in left if end > start) or text


def _whole_clause(marked: Marked, part: Part) -> Part:
    """A condition as the whole clause that a "when" at it or before it begins: one that says so is surely a condition."""
    said = [marked.text[start:end].lower() for start, end in marked.spans]
    begins = next((at for at in range(min(part.start + 1, part.end - 1), -1, -1) if said[at] in _WHEN), None)
    if begins is None or part.start - begins > (LONGEST_NAME if part.label is Label.COMPANY else 0):
        return part
    return _clause_of(marked, part.label, begins, part.end)


def _clause_of(marked: Marked, label: Label, begins: int, reaches: int) -> Part:
    """The clause that begins with this word and reaches at least so far, as a condition."""
    said = [marked.text[start:end].lower() for start, end in marked.spans]
    ends = next(
        (
            at + 1
            for at in range(reaches - 1, len(said))
            if at + 1 == len(said)
            or said[at + 1] in _CLAUSE_ENDS
            or re.search(r"[,.;!?]", marked.text[marked.spans[at][1] : marked.spans[at + 1][0]])
        ),
        reaches,
    )
    text = marked.text[marked.spans[begins][0] : marked.spans[ends - 1][1]]
    return Part(label, text, begins, ends, SURELY)


_NO_CONDITION = (["even"], ["as"], ["care"], ["mind"], ["matter"], ["know"], ["see"])
"""Words before an "if" that sets no condition."""


def _unmarked_if(marked: Marked, place: tuple[int, int] | None) -> Iterator[Part]:
    """Clauses of an "if" that nothing marks: of the likeliest kind, where their words name a value of that kind."""
    said = [marked.text[start:end].lower() for start, end in marked.spans]
    begins = (at for at, word in enumerate(said) if word == "if" and said[at - 1 : at] not in _NO_CONDITION)
    for at in begins:
        if marked.shares is None or at + 2 >= len(marked.spans):
            return
        own = [LABELS.index(label) for label in CONDITION_LABELS]
        part = _clause_of(marked, Label.TIME, at, at + 3)
        label = LABELS[own[int(marked.shares[part.start : part.end, own].sum(0).argmax())]]
        beyond = place is None or place[1] <= part.start or place[0] >= part.end
        if beyond and condition(label, part.text).value not in (OTHER, "passengers") and not _excepted(marked, part):
            yield replace(part, label=label)


_WHEN = frozenset({"when", "whenever", "if", "while"})
_CLAUSE_ENDS = frozenset({"and", "but", "or", "i", "then", "so", "because"})
LONGEST_NAME = 3
"""Words between a "when" and what is marked behind it: "when my old boss | is in the car"."""


def _contrasted(marked: Marked, own: Part, other: Part, part: Part) -> bool:
    """Whether a condition stands with another value, from which the own one is set apart: "soul, but rock when driving"."""
    first, last = sorted((own, other), key=lambda one: one.start)
    beyond = (own is first and part.start >= last.end) or (own is last and part.end <= first.start)
    between = marked.text[marked.spans[first.end - 1][1] : marked.spans[last.start][0]]
    return own != other and beyond and _CONTRAST.search(between) is not None


def _excepted(marked: Marked, part: Part) -> bool:
    """Whether a condition is one under which the value does not hold: "radio x except on sundays"."""
    return _EXCEPT.search(marked.text[: marked.spans[part.start][0]]) is not None


def _hollow(part: Part) -> bool:
    """Whether a condition is none: words that only join, or none that the car may tell, and not surely one."""
    if not set(words(part.text)) - _JOINING:
        return True
    one = condition(part.label, part.text)
    return one.value in (OTHER, "passengers") and part.share < SURELY


def _gap(marked: Marked, one: Part, other: Part) -> int:
    """Letters between two parts."""
    first, second = sorted((one, other), key=lambda part: part.start)
    return marked.spans[second.start][0] - marked.spans[first.end - 1][1]
