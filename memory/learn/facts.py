"""What the driver asks to have kept and is no preference, cut out of the asking: "remember i parked on level three".

Owns the words of a fact, whose it is, and until when it matters. Which words are part of it the marks tell (`schemas.kinds`); where
a car stands matters for a day, or until another place is told.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta, tzinfo

import numpy as np

from memory.learn.english.asking import ASKING, plainly
from memory.learn.english.secrets import secret
from memory.recall.times import NUMBERS, period_in
from models.text import normal, words
from schemas.kinds import CONDITION_LABELS, LABELS, OWN, PARKED, PARKED_FOR, VALUES, Fact, Label, Marked
from schemas.ports import Encoder

LEAST = 2
"""Words of a fact: fewer say nothing by themselves."""
FACT = frozenset((Label.FACT, Label.UNTIL, Label.HOLDER, *CONDITION_LABELS)) | VALUES
"""What words of a fact may be marked as: it may tell of somebody's liking."""
_TELLS = FACT - frozenset(CONDITION_LABELS) | {Label.SECRET}
"""What tells where a fact is; conditions stand in the asking as well ("bear that in mind when we go out")."""
FACT_AT = 0.4
"""Share of these together from which on a word belongs to the fact; our choice: a word too many does no harm."""
ASKS_AT = 0.6
"""Share of a fact's marks from which on a sentence asks to have it kept, in whatever words. Our choice."""
WISHED_AT = 0.9
"""Probability of such a wish from which on any words for one do: of 617 sentences of which 3 ask for it none other has as much."""
CLOSE_AT = 0.0
"""How much nearer words lie to those for close people than to those for others. Our choice: of 47 ways to name somebody close
all lie above, of 39 for others 9 ("the young ones these days"), which cost a question."""
_CLOSE = (
    "my mother",
    "my dad",
    "my wife",
    "grandma",
    "my daughter",
    "our kevin",
    "my best friend",
    "auntie",
    "the kids",
    "the missus",
)
_OTHER = (
    "my boss", "the man at the garage", "some people", "the neighbours", "my colleagues", "half the office", "my accountant",
    "everybody", "a woman i know", "the postman",
)  # fmt: skip
SECRET_AT = 0.1
"""How much nearer what is to be kept lies to things that nobody else may know than to others, from which on it is one,"""
_CALLED = re.compile(r"(.{8,}?)(?:,| is\b| are\b| was\b|'s\b)", re.IGNORECASE)
CALLED_AT = 0.14
"""and what it is about alone, before what it is: "my crypto recovery phrase, it's ...". Our choice: of 13 secrets in words, which
the marks miss ("the answer to my bank's security question"), these find 9, and of 79 facts one ("the wifi is rubbish")."""
_SECRETS = (
    "my pin is 4 4 1 2", "the password of the wifi is bluebird", "the door code is 7 7 1", "my login and the password",
    "the answer to my security question", "the recovery phrase of my wallet", "the number on my credit card",
    "my social security number", "my bank account number", "the combination of the safe", "the passcode of my phone",
    "my mother's maiden name for the bank", "the backup code for my email",
)  # fmt: skip
_NO_SECRETS = (
    "the flight number is BA 2 2 9", "the train leaves from platform six", "our seats are in row f", "the table number is fourteen",
    "they live at number nine", "the bin day is tuesday", "my locker is on the second floor", "the bus is the number twelve",
    "the hotel room is 4 1 2", "the parking space is number thirty", "the recipe needs two cups of flour",
    "the answer to the quiz was botswana", "the size of the board is forty by sixty", "the tyre pressure is 33",
    "the passport is in the drawer", "the secret of a good stew is time", "i owe tom fifty pounds",
    "ring the bank on monday about my new card", "my mother comes on friday", "my mother says the boiler is serviced in may",
    "the hotel is booked under the name of smith", "the spare key is in the tin",
)  # fmt: skip
_CLAUSE = re.compile(r"[,;:.!?](?=\s)")
_S = re.compile(r"['’]s$")
_APART = re.compile(r"[.:;!?](?=\s|$)")
"""What parts the sentences of a fact from what is said around it."""
_BEFORE = frozenset("i we my our the a an his her their your it there this".split())
"""Words that a fact begins with, though by themselves they are part of nothing: those right before it belong to it."""
_AFTER = frozenset(
    "so and but then please okay thanks can could would will you for me now just also that this it to".split()
)
"""Words that are left of the asking behind a fact: "..., so", "..., could you please"."""
_SURELY_NOTHING, _NOTHING = 0.97, 0.9
"""Share of being part of nothing from which on words before a fact, and those between it and an asking, are none of it,"""
_MORE = 3
"""and nor are so many at the end of all: something else is asked for there. Our choice."""
_POINTING = frozenset(
    "this that these those it one ones stuff thing things kind kinds sort sorts type song songs track tune music guy band".split()
)
_WHEN = frozenset("when whenever while if".split())
_LIKING = frozenset(
    """i i'm we like love enjoy prefer hate dislike stand can't cannot don't really so much do of a an the and very quite always
    into fan mad about adore fond here there too most best""".split()
)
"""Words that point at something, and those of liking around them: together they name nothing."""
_WHERE = r"(?:in|on|at|by|near|behind|outside|opposite|round|under|next|up|down|over|parked)\b"
_PARKED = re.compile(
    r"\b(?:i|we)(?:'m|'re|'ve| am| are| have)? (?:just )?parked\b|\bwhere (?:the|my|our) car is\b|\bmoved the car\b|"
    rf"\b(?:left (?:the|my|our) car|(?:the|my|our) car(?:'s| is)) {_WHERE}"
)
_PLACE = re.compile(rf"\b{_WHERE}")
_WHERE_CLAUSE = re.compile(r"\bwhere\b.*")
_SPAN = re.compile(rf"\b(?:for|in) (?P<number>\d+|{'|'.join(sorted(NUMBERS, key=len, reverse=True))}) "
                   r"(?P<unit>hour|day|week|month|year)s?\b")  # fmt: skip
_TILL = re.compile(r"^(?:un)?till? |^by |^before ")
"""The named day is the last one on which a fact matters."""
_DAYS = {"hour": 0, "day": 1, "week": 7, "month": 31, "year": 366}
_TODAY = re.compile(r"\b(?:today|tonight|this (?:morning|afternoon|evening)|later)\b")
_NEXT = (
    ("tomorrow", 1),
    ("this weekend", 6),
    ("this week", 6),
    ("next week", 13),
    ("this month", 31),
    ("next month", 62),
)
_AHEAD = (7, 31, 366)
"""Days from now in which a weekday, a day of the month or a date must lie."""


def asks(marked: Marked, wished: float = 0.0) -> bool:
    """Whether a sentence asks to have something kept, a secret that is refused included.

    Args:
        marked: its words.
        wished: probability that it does, by the encoder's other branch.
    """
    facts = marked.parts((Label.FACT,), ASKS_AT)
    if sum(part.end - part.start for part in facts) >= LEAST:
        return True
    wished_for = wished >= WISHED_AT or ASKING.search(normal(marked.text)) is not None
    return wished_for and bool(marked.parts(FACT | {Label.SECRET}))


def of_others(marked: Marked) -> tuple[str, str]:
    """Whose liking a sentence tells that is none of the driver's, and the clauses that tell it; both empty where there is none.

    What is said around these ("..., bless her heart") is no part of it.
    """
    holder = max(marked.parts((Label.HOLDER,), FACT_AT), key=lambda part: part.end - part.start, default=None)
    liking = next(iter(marked.parts((Label.OTHERS,))), None)
    if holder is None or liking is None or marked.parts(OWN):
        return "", ""
    first, last = min(holder.start, liking.start), max(holder.end, liking.end) - 1
    begins, ends = marked.spans[first][0], marked.spans[last][1]
    cuts = [0, *(found.end() for found in _CLAUSE.finditer(marked.text)), len(marked.text)]
    start, end = max(cut for cut in cuts if cut <= begins), min(cut for cut in cuts if cut >= ends)
    return _S.sub("", holder.text), marked.text[start:end].strip(" ,;:.!?")


def is_close(encoder: Encoder, who: str) -> bool:
    """Whether words name somebody close to the driver: a boss, a shopkeeper or people in general are not."""
    return _nearer(encoder, who.lower(), _CLOSE, _OTHER) >= CLOSE_AT


def is_secret(encoder: Encoder, text: str) -> bool:
    """Whether what is to be kept is a secret: by its words, its marks, or since it is told of what nobody else may know."""
    if secret(encoder, text):
        return True
    called = _CALLED.match(text)
    near = _nearer(encoder, text, _SECRETS, _NO_SECRETS)
    return near >= SECRET_AT or (called is not None and _nearer(encoder, called[1], _SECRETS, _NO_SECRETS) >= CALLED_AT)


def _nearer(encoder: Encoder, text: str, ones: Sequence[str], others: Sequence[str]) -> float:
    """How much nearer a text lies to the two nearest of some than to the two nearest of others, as cosines."""
    vectors = encoder.encode([text, *ones, *others])
    near, far = np.split(vectors[1:] @ vectors[0], [len(ones)])
    return float(np.sort(near)[-2:].mean() - np.sort(far)[-2:].mean())


def outweighs(marked: Marked) -> bool:
    """Whether more of a sentence is a fact than is liked, needed or avoided, or it tells where the car stands."""
    if marked.shares is None:
        return False
    facts, own = (marked.parts(labels) for labels in ((Label.FACT,), OWN | {Label.PAST}))
    count = [sum(part.end - part.start for part in some) for some in (facts, own)]
    return parked(marked.text) or count[0] > count[1]


def parked(text: str) -> bool:
    """Whether a sentence speaks of where the car stands."""
    return _PARKED.search(normal(text)) is not None


def tells_place(text: str) -> bool:
    """Whether it says where that is, and does not only ask: "where did we park again" names no place before its "where"."""
    return parked(text) and _PLACE.search(_WHERE_CLAUSE.sub("", normal(text))) is not None


def fact(encoder: Encoder, text: str, now: datetime, zone: tzinfo, *, name: str, conversation: str) -> Fact | None:
    """The fact of a sentence in which the driver asks to have something kept; None where nothing is left of it.

    Args:
        encoder: marks the words.
        text: the sentence, with the asking or without.
        now: when it was said.
        zone: where, for days.
        name: id of the fact.
        conversation: that it was said in.
    """
    marked = encoder.marks(text)
    if not asks(marked):
        marked = encoder.marks(plainly(text))
    parts = marked.parts(FACT, FACT_AT)
    first, last = marked.whole(*_words(marked))
    if last - first < LEAST or points(marked, first, last):
        return None
    said = marked.text[marked.spans[first][0] : marked.spans[last - 1][1]]
    when = " ".join(part.text for part in parts if part.label is Label.UNTIL and part.end - part.start > 1)
    about = next((part.text for part in parts if part.label is Label.HOLDER and set(words(part.text)) - _BEFORE), "")
    place = not when and parked(text)
    return Fact(
        id=name, text=said, about=about, said_at=now, conversation=conversation,
        until=now + PARKED_FOR if place else until(when, now, zone), until_words=PARKED if place else when,
    )  # fmt: skip


def points(marked: Marked, first: int, last: int) -> bool:
    """Whether these words only point at what nobody named: "this stuff when i'm driving to work"."""
    if marked.shares is None:
        return False
    when = marked.shares[:, [LABELS.index(label) for label in CONDITION_LABELS]].sum(1)
    plain = marked.text.lower().replace("’", "'")
    said = [plain[slice(*marked.spans[at])] for at in range(first, last)]
    end = next((at for at, word in enumerate(said) if word in _WHEN), len(said))
    bare = [word for at, word in enumerate(said[:end]) if when[first + at] < FACT_AT]
    return bool(_POINTING & set(bare)) and set(bare) <= _POINTING | _LIKING


def _words(marked: Marked) -> tuple[int, int]:
    """The first word of the fact, and the one after its last: its whole sentences, without the asking before, between or behind.

    Where a fact begins and ends the marks tell less surely than where it is, so they choose among what the asking leaves over.
    """
    if marked.shares is None:
        return 0, 0
    family = marked.shares[:, [LABELS.index(label) for label in LABELS if label in _TELLS]].sum(1)
    plain = marked.text.lower().replace("’", "'")
    asking = [found.span() for found in ASKING.finditer(plain)]
    pieces: list[list[int]] = [[]]
    for at, (start, end) in enumerate(marked.spans):
        if any(start < until and end > since for since, until in asking):
            pieces += [[], []]  # nothing that belongs together stands on both sides of the asking
        else:
            pieces[-1].append(at)
            if at + 1 < len(marked.spans) and _APART.search(plain[end : marked.spans[at + 1][0]]):
                pieces.append([])
    weights = [float(family[piece].sum()) for piece in pieces]
    best = weights.index(max(weights))
    low = high = best
    while low > 0 and pieces[low - 1] and family[pieces[low - 1]].mean() >= FACT_AT:
        low -= 1
    while high + 1 < len(pieces) and pieces[high + 1] and family[pieces[high + 1]].mean() >= FACT_AT:
        high += 1
    own = [at for piece in pieces[low : high + 1] for at in piece]
    said = [plain[start:end] for start, end in marked.spans]
    nothing = marked.shares[:, 0]
    begins = next((n for n, at in enumerate(own) if nothing[at] < _SURELY_NOTHING), 0)
    while 0 < begins < len(own) and said[own[begins - 1]] in _BEFORE and said[own[begins]] not in _BEFORE:
        begins -= 1
    own = own[begins:]
    more = next((n for n, at in enumerate(reversed(own)) if nothing[at] < _NOTHING), 0)
    if more >= _MORE or (own and own[-1] + 1 < len(said)):  # the asking goes on there
        own = own[: len(own) - more]
    while own and said[own[-1]] in _AFTER and nothing[own[-1]] >= _SURELY_NOTHING:
        own.pop()
    return (own[0], own[-1] + 1) if own else (0, 0)


def until(said: str, now: datetime, zone: tzinfo) -> datetime | None:
    """The end of the time that words name, looking ahead; None where they name none that the calendar knows."""
    text, today = _TILL.sub("", normal(said)), now.astimezone(zone)
    if not words(text):
        return None

    def after(days: int) -> datetime:
        end = today.date() + timedelta(days=days + 1)
        return datetime.combine(end, time(), tzinfo=today.tzinfo).astimezone(UTC)

    span = _SPAN.search(text)
    if span is not None:
        number = span["number"]
        count = int(number) if number.isdecimal() else NUMBERS[number]
        return now + timedelta(hours=count) if span["unit"] == "hour" else after(count * _DAYS[span["unit"]])
    if _TODAY.search(text):
        return after(0)
    for name, days in _NEXT:
        if name in text:
            return after(days)
    for days in _AHEAD:
        found = period_in(text, now + timedelta(days=days), zone)
        if found is not None and found.until is not None and found.until > now:
            return found.until
    return None
