"""What the wording of a sentence says about the value in it: rules over words, listed as tables.

Decides whether a preference holds, has ended, or takes another's place. English, as a recogniser writes it (lower case, no
punctuation) or as a person types it. Knows no categories and no models, and ends nothing alone: what only the wording says
the driver is asked about (`memory.learn.extraction`). Whose preference it is and whether it lasts is the encoder's to tell.

A rule stands here because `python -m deploy.lab.polarity.ablation` gets worse without it, on sentences that nobody had read
when they were written or on CarMem's development half, or because the encoder misses a plain sentence of
``tests/unit/memory/learn/test_extraction_wording.py`` without it; docs/log.md has the table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from models.text import normal, words


class Polarity(StrEnum):
    """How refusing words bear on the values of a category."""

    PLAIN = "plain"
    """A thing that one likes: refusing it is not liking it ("i hate jazz")."""
    AVOIDED = "avoided"
    """A thing that one avoids: refusing it *is* the preference ("no highways"); only taking that back ends it."""
    STATED = "stated"
    """The value says it all ("low", "vegan"): it ends only when the driver says that it has ended."""
    ANSWER = "answer"
    """Yes or no: refusing it is the value ``no``; `memory.learn.english.canonical` reads it."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: a pattern over normal text. ``V`` stands for the value's words (word boundaries included)."""

    pattern: str
    reason: str
    """What to tell the driver when it applies."""


ABOUT_MEMORY: tuple[Rule, ...] = (
    Rule(r"\b(?:stop|don't|do not|quit|never) (?:remember|remembering|sav(?:e|ing)|stor(?:e|ing)|learn|learning|"
         r"record|recording)\b", "that was about memory itself"),
    Rule(r"\bwhat (?:do|did|have) you (?:remember|know|learn)", "that was about memory itself"),
    Rule(r"\b(?:private trip|privacy mode|opt (?:me )?(?:out|in)|pause learning)\b", "that was about memory itself"),
    Rule(r"\b(?:forget|delete|erase) (?:that|this|it|everything|all|what i|what you|my)\b(?! V)",
         "that was about memory itself"),
)  # fmt: skip
"""Orders to memory are not preferences."""

ENDED: tuple[Rule, ...] = (
    Rule(r"\b(?:not|no|never|nor|cannot)\b.*\b(?:any ?more|any longer)\b", "it does not hold any more"),
    Rule(r"\b(?:no more|no longer)\b(?! than\b)", "it does not hold any more"),
    Rule(
        r"(?<!'m )(?<!am )(?<!get )\bused to (?:really |always )?(?:like|love|be|listen|go|eat|enjoy|prefer|use|take|hear|"
        r"have|shop|fill|charge|watch|follow|drink|pay|park|want|need)\b.*V",
        "it used to hold",
    ),
    Rule(r"\b(?:stopped|quit|given up|gave up)\b(?! at\b| by\b| for\b).*V", "it has stopped"),
    Rule(r"\b(?:i'm|i am|we're) (?:off|over|past)\b.*V", "it has ended"),
    Rule(r"\b(?:done|through|finished|fed up|bored) (?:with|of)\b.*V", "it has ended"),
    Rule(r"\b(?:(?:tired|sick)|had enough) of\b.*V", "it has ended"),
    Rule(r"\b(?:cancell?ed|unsubscribed?|i've left|i left|parted ways with)\b.*V", "it has ended"),
    Rule(
        r"\b(?:leave out|skip|forget(?: about)?|never mind|drop|exclude|excluding|avoids?|avoiding|disable|deactivate|remove|"
        r"ignore|omit|ban|turn off|switch off|get rid of|steer clear of|stay away from|keep away from|rule out)\b.*V",
        "it is to be left out",
    ),
    Rule(
        r"V.*\b(?:isn't|is not|not|aren't|are not) (?:needed|necessary|required|important)\b", "there is no need for it"
    ),
    Rule(r"\bno need (?:for|to)\b", "there is no need for it"),
    Rule(
        r"V\b.*\b(?:doesn't|does not|don't|isn't|is not|aren't|won't) (?:\w+ )?"
        r"(?:cut it|do it|doing it|enough|work|working|suit|help)\b",
        "it is not right any more",
    ),
)
"""The value held once and does not now; asked of the statement that holds the value."""

AFTERWARDS: tuple[Rule, ...] = (
    Rule(r"V.*\b(?:sick|tired|done|fed up) (?:of|with) (?:it|them|that)\b", "it has ended"),
    Rule(
        r"V.*\b(?:don't|do not) (?:want|like|need|use) (?:it|them|that)\b(?! (?:anywhere|any other|too|in any|on any))",
        "it has ended",
    ),
)
"""The same, said in a statement of its own: asked of the whole sentence."""

_FILL = (
    r"(?:(?:the|a|an|any|to|at|on|in|with|for|of|by|my|that|this|more|much|really|like|want|listen|listening|hear|hearing|"
    r"eat|eating|go|going|use|using|take|taking|play|playing|songs?|music|band|podcasts?|shop|shopping|charge|charging|"
    r"fill|up|set|me|us|drive|driving|food|stations?|restaurants?|fond|keen|into|interested|fan|big|about) ){0,5}"
)
"""Words that may stand between a refusing word and what it refuses."""

REFUSED: tuple[Rule, ...] = (
    Rule(r"\b(?:hate|dislike|detest|despise|loathe|can't stand|cannot stand|can't bear)\b.*V", "it is disliked"),
    Rule(r"V.*\b(?:is|are|isn't|sounds?|tastes?) (?:\w+ )?(?:awful|terrible|horrible|not for me|not my|n't my|disgusting)\b",
         "it is disliked"),
    Rule(r"\b(?:don't|do not|didn't|doesn't|never|won't|wouldn't|cannot|can't) \w+ " + _FILL + "V", "it is refused"),
    Rule(r"\bnot (?:a (?:\w+ )?fan of |a |an |my |into |keen on |fond of |interested in |really |much of a |the )*"
         r"(?:\w+ )?V", "it is refused"),
    Rule(r"\bno (?:\w+ )?" + _FILL + "V", "it is refused"),
    Rule(r"\b(?:isn't|aren't|is not|are not) (?:about |called |from )?V", "it is refused"),
    Rule(r"\bwithout (?:any |a |the )?(?:\w+ )?V", "it is refused"),
)  # fmt: skip
"""The driver does not want the value, and perhaps never did."""

TAKEN_BACK: tuple[Rule, ...] = (
    Rule(r"\b(?:don't|do not|doesn't) (?:mind|bother)\b", "it is not avoided any more"),
    Rule(r"\b(?:don't|do not|doesn't|no) (?:have to|need to) (?:avoid|keep|stay|go round|go around)\b",
         "it is not avoided any more"),
    Rule(r"^(?!.*(?:n't|\bnot|\bnever|\bno|\bwithout|\bif)\b).*\b(?:fine|ok|okay|all right|alright|good|welcome) "
         r"(?:again|now|by me|by us|with me|with us|for me|for us)\b", "it is not avoided any more"),
    Rule(r"\bstop (?:avoiding|going round|going around|skipping)\b", "it is not avoided any more"),
    Rule(
        r"^(?!.*(?:n't|\bnot|\bnever|\bno|\bavoid|\bexclud\w*)\b).*"
        r"\b(?:includ(?:e|es|ing)|allow|let's take|let's use|(?:happy|glad|willing|free|welcome) to (?:take|use|go|drive)|"
        r"(?:you|we) (?:can|may) (?:take|use))\b.*V",
        "it is not avoided any more",
    ),
)  # fmt: skip
"""An avoidance ends."""

FONDNESS = re.compile(
    r"\b(?:(?:can't|couldn't|cannot|won't|never|boring|nothing|not|lost) (?:\w+ ){0,5}?without|"
    r"(?:can't|couldn't|cannot|could not|won't|don't|never) (?:stop|quit)\b|(?:can't|cannot|couldn't|won't|will not|never|not) "
    r"(?:ever )?forg[eo]t\w*\b|can't get enough|couldn't get enough|"
    r"can't (?:live|do|go|drive|start|imagine|be)\b|couldn't (?:live|do|go|be)\b|"
    r"never (?:get|got|getting|grow|been)? ?(?:tired|sick|bored|enough)(?: of)?|not (?:just|only|too)\b|"
    r"(?:don't|doesn't|do not) (?:mind|care|you|we|forget|let me)\b|why (?:don't|not)\b|can't go wrong|"
    r"never (?:say no|miss|without|go without|disappoints?|fails?|lets? me down)|won't (?:drive|go|leave) without|"
    r"no matter|no doubt|no question|no need to ask|not any|no no|no,? just|"
    r"without (?:a )?(?:doubt|question)|nothing (?:but|beats)|"
    r"doesn't get (?:any )?better|(?:isn't|is not|not) complete without|don't (?:want|need) anything but|"
    r"if .{0,40}(?:doesn't|don't|isn't|hasn't) (?:have|got|serve|offer|sell))"
)
"""Refusing words that say how much one likes a thing: taken out before `ENDED` and `REFUSED` are asked."""

_BOUNDARY = re.compile(
    r"[,.;!?]+\s*|\b(?:(?<!anything )(?<!everything )(?<!all )(?<!nothing )but|however|because|although|though|while)\b|"
    r"\binstead\b(?! of)|"
    r"\b(?=(?:and|so|since|as) (?:i|i'm|i've|i'd|i'll|we|we've|my|our|now|please|from|it|it's)\b)|"
    r"(?<=\w )(?=(?:actually|i|i'd|i would|we|we'd) (?:now |really )?(?:rather|prefer|love|like)\b)|"
    r"(?<=\w )(?=now (?:i|i'm|it's|we)\b)"
)
"""Where one statement ends and the next begins."""

_GAP = r"(?:(?:the|my|a|an|having|listening to|going to|playing|eating|using|taking|some|old|usual|your) )*"

DISPLACED = re.compile(
    r"(?:\b(?:instead of|rather than|in place of)|\bprefer (?!to\b|\w+ing\b)\w.*\b(?:to|over)|\b(?:rather|better|more)\b.*\bthan|"
    r"\b(?:switch\w*|changed|moved|gone)\b.*\bfrom|\b(?:swap|trade|replace|change|exchange)d?|\b(?:has|have) replaced) "
    rf"{_GAP}$"
)
"""What stands right before a value that another takes the place of. Asked where the other one is known: "there is no music that
i like more than jazz" ends no jazz."""

SWITCHED = re.compile(
    r"\b(?:switch(?:ed|ing)?(?! (?:things|it) up)|changed|moved|gone over|converted)\b"
    r"(?!.*\bfor a change\b).*\bto\b|\bchanged my (?:mind|taste|\w+)\b|"
    r"\bmy (?:\w+ ){1,2}(?:has|have) changed\b|\bused to\b.*\bbut now\b"
)
"""The driver says that something took another's place, without having to name the other."""

LATELY = re.compile(
    r"\b(?:now|these days|nowadays|from now on|lately|recently|actually|i'd rather|i would rather|any ?more|"
    r"rather have|than what|instead(?! of)|new favou?rite|more than anyone)\b"
)
"""Perhaps a changed mind, perhaps one more thing that the driver likes."""


def clause(sentence: str, value: str) -> str:
    """The statement of a sentence in which the value stands; the whole sentence where it is not found."""
    text, wanted = normal(sentence), " ".join(words(value))
    spans = _spans(text, wanted)
    if not spans:
        return text
    start, end = spans[-1]
    cuts = [match.start() for match in _BOUNDARY.finditer(text)]
    left = max((cut for cut in cuts if cut <= start), default=0)
    right = min((cut for cut in cuts if cut >= end), default=len(text))
    return text[left:right].strip(" ,.;!?")


_BETWEEN = re.compile(
    r"[\s,&]*(?:\b(?:and|or|nor|but|plus|also|as well as|maybe|sometimes)\b[\s,]*)*(?:\b(?:the|a|an|some|also)\b\s*)?"
)
"""What may stand between two things that are named one after the other."""


def series(text: str, parts: Sequence[str]) -> list[str]:
    """The first of these parts of a text, and those that are named right before or after it ("jazz, soul and blues").

    Args:
        text: what was said.
        parts: words of it, the most important first.
    """
    plain = normal(text)
    found = [(start, start + len(normal(part)), part) for part in parts if (start := plain.find(normal(part))) >= 0]
    if not found:
        return list(parts[:1])
    chain, rest = [found[0]], sorted(found[1:])
    grown = True
    while grown:
        grown = False
        for item in rest:
            if item in chain:
                continue
            gaps = [plain[item[1] : c[0]] if item[1] <= c[0] else plain[c[1] : item[0]] for c in chain]
            if any(gap.strip() and _BETWEEN.fullmatch(gap) for gap in gaps):
                chain.append(item)
                grown = True
    return [part for _, _, part in sorted(chain)]


def applies(rules: Sequence[Rule], text: str, value: str) -> Rule | None:
    """The first of these rules that applies to a normal text with this value."""
    stood = _stand_in(text, value)
    return next((rule for rule in rules if _compiled(rule.pattern).search(stood)), None)


def negated(sentence: str, value: str, polarity: Polarity) -> Rule | None:
    """The rule by which the sentence says that the value does not hold, or None."""
    if polarity is Polarity.ANSWER:
        return None
    said = clause(sentence, value)
    if polarity is Polarity.AVOIDED:
        return applies(TAKEN_BACK, normal(sentence), value)
    stood = FONDNESS.sub(" ", _stand_in(said, value))
    rules = ENDED if polarity is Polarity.STATED else ENDED + REFUSED
    found = next((rule for rule in rules if _compiled(rule.pattern).search(stood)), None)
    if found is None:
        whole = FONDNESS.sub(" ", _stand_in(normal(sentence), value))
        found = next((rule for rule in AFTERWARDS if _compiled(rule.pattern).search(whole)), None)
    return found


def fond(sentence: str) -> bool:
    """Whether the sentence says in refusing words how much something is liked."""
    return FONDNESS.search(normal(sentence)) is not None


def displaced(sentence: str, value: str) -> bool:
    """Whether the sentence puts another thing in this value's place ("thai instead of italian")."""
    text = normal(sentence)
    if re.search(r"\b(?:nothing|nobody|no one|none)\b", text):  # "nothing is better than jazz"
        return False
    if words(value)[:1] in (("be",), ("stay",), ("remain",)):  # "i prefer the lights to be low"
        return False
    return any(DISPLACED.search(text[:start]) for start, _ in _spans(text, " ".join(words(value))))


def switched(sentence: str) -> bool:
    """Whether the sentence says outright that something took another's place."""
    return SWITCHED.search(normal(sentence)) is not None


def lately(sentence: str) -> bool:
    """Whether the sentence speaks of how things are now, as against before."""
    return LATELY.search(normal(sentence)) is not None


_BESIDE = re.compile(r"\b(?:too|also|as well|besides?|and now)\b")
_NOW = re.compile(r"\b(?:now|these days|nowadays|instead(?! of)|from now on)\b")


def instead_now(sentence: str) -> bool:
    """Whether the sentence says how things are now, and not that this came beside what was before."""
    return _NOW.search(normal(sentence)) is not None and _BESIDE.search(normal(sentence)) is None


def _spans(text: str, value: str) -> list[tuple[int, int]]:
    """Where the words of a value stand in a normal text, punctuation between them allowed."""
    if not value:
        return []
    pattern = r"[^\w']+".join(re.escape(word) for word in value.split())
    return [match.span() for match in re.finditer(rf"(?<![\w']){pattern}(?![\w])", text)]


def _stand_in(text: str, value: str) -> str:
    """The text with the last place of the value replaced by ``V``, so that its own words match no rule."""
    spans = _spans(text, " ".join(words(value)))
    if not spans:
        return text
    start, end = spans[-1]
    return f"{text[:start]}\0{text[end:]}"


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\bV\b|(?<=b)V|V(?=\\b)", "\0", pattern.replace(r"V\b", "V")))
