"""A sentence that states several things at once, taken apart: "i love italian food and jazz music" says two.

Owns which sentences can be taken apart without saying what was not said: only those that are nothing but statements of what
the driver likes, uses or avoids. Whatever else stands in one (a request, somebody else, a reason) leaves it whole. Knows no
categories and no models: whether the parts mean anything is `memory.learn.extraction`'s to find out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from models.text import normal, words

MOST = 6
"""Statements of a sentence at most."""

_LEAD = (
    r"(?:(?:well|yes|yeah|oh|so|okay|ok|and|but|also|actually|by the way|you know|please|remember(?: that)?|note(?: that)?|"
    r"don't forget(?: that)?|keep in mind(?: that)?),? )*"
)
_OFTEN = (
    r"(?:(?:really|always|usually|mostly|only|just|also|generally|often|normally|both|absolutely|definitely|do|never|"
    r"don't|do not|don't really|no longer) )*"
)
_VERB = (
    r"(?:like|love|adore|enjoy|prefer|hate|dislike|avoid|use|drink|eat|watch|follow|choose|can't stand|listen to|tune in to|"
    r"go to|go for|fill up at|fill up with|fuel up at|charge at|charge with|shop at|buy at|buy from|park in|park at|pay with|"
    r"pay by|pay in|pay|take|drive on|eat at|stop at|stay off|stay away from|steer clear of|trust|read|stream with|stream on|"
    r"am into|'m into|am a fan of|'m a fan of|am fond of|get my news from)"
)
_HEAD = re.compile(rf"^{_LEAD}(?P<head>(?:i |we |i(?='m)){_OFTEN}{_VERB}(?: to)?) (?P<rest>.+)$")
_MINE = re.compile(
    rf"^{_LEAD}(?P<all>my (?:favou?rite|preferred|usual|go-to|regular) (?:[\w'-]+ ){{1,4}}(?:is|are) .+)$"
)
_ACT = re.compile(rf"^(?P<often>{_OFTEN})(?P<act>{_VERB} .+)$")
AND = (
    r"(?<!\bfish)(?<!\bmac)(?<!\bmacaroni)(?<!\bbangers)(?<!\bsausage)(?<!\bsurf)(?<!\bsweet)(?<!\bsalt)(?<!\bchicken)"
    r"\s+and(?! roll\b| bass\b| b\b)"
)
""""And" where it stands between two things, and not within a name (fish and chips, rock and roll, drum and bass)."""
_CUT = re.compile(
    r"\s*[,;](?:\s*(?:and|plus|but))?(?:\s+also)?\s+|\s*[.!]\s+|"
    rf"{AND}(?:\s+also)?\s+|\s+(?:as well as|plus|but)(?:\s+also)?\s+"
)
_OTHER = re.compile(
    r"^(?:i|i'm|i'd|i'll|i've|we|you|he|she|it|they|this|that|there|my|our|your|his|her|their|who|what|which|when|where|why|how|"
    r"if|because|since|so|then|could|can|would|will|please|let|let's|find|show|play|turn|set|take|give|tell|book|call|open|close|"
    r"navigate|go|not|nor|or|especially|except|even|maybe|though|although|to|for|in|on|at|with|of|from|about|than|like)\b"
)
"""How a part begins that is no name of a thing."""
_OTHERS_TOO = re.compile(r"\s+(?:and|but|while|whereas)\s+(?=(?:my|our|his|her|their|the) )", re.IGNORECASE)
"""Where a sentence goes on about somebody else: "i like italian food and my wife loves thai food"."""
_FURTHER = re.compile(
    r"\b(?:because|when|whenever|if|since|that|which|who|for|while|unless|until|after|before|so|as|than)\b"
)
"""Words after which "and" may join something else than what is liked."""
_SMALL = frozenset("the a an some any my all very really".split())


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement, as a sentence of its own."""

    text: str
    thing: str = ""
    """What was joined by "and" to what is liked; empty where the statement was made whole."""


def statements(text: str) -> tuple[Statement, ...]:
    """The statements of a sentence; nothing where it makes one only, or is anything else than statements."""
    rest = normal(text).strip(" .!,;")
    if "?" in rest:
        return ()
    found: list[Statement] = []
    subject = head = ""
    for piece in _CUT.split(rest):
        part = piece.strip()
        whole, mine, act = _HEAD.match(part), _MINE.match(part), _ACT.match(part)
        if whole is not None:
            head = whole["head"]
            subject = "we" if head.startswith("we") else "i"
            found.append(Statement(f"{head} {whole['rest']}"))
        elif mine is not None:
            subject = head = ""
            found.append(Statement(mine["all"]))
        elif act is not None and subject:
            found.append(Statement(f"{subject} {part}"))
            again = _HEAD.match(found[-1].text)
            head = again["head"] if again is not None else ""
        elif part and head and found and _OTHER.match(part) is None:
            before = found[-1].thing or found[-1].text.removeprefix(head).strip()
            if _FURTHER.search(before):
                return ()
            found[-1] = Statement(found[-1].text, before)
            found.append(Statement(f"{head} {part}", part))
        else:
            return ()
    return tuple(found) if 1 < len(found) <= MOST else ()


def halves(text: str) -> list[str]:
    """The statements of a sentence, or what it says of the driver and of somebody else."""
    return [one.text for one in statements(text)] or _OTHERS_TOO.split(text)


_SPEAKS = re.compile(
    r"(?<!\bi )(?<!\bi've )(?<!\bwe )(?<!\byou )\b(?:"
    r"(?:says?|said|tells?|told|asks?|asked|repl(?:y|ies|ied)|shout(?:s|ed)?|reckon(?:s|ed)|insist(?:s|ed)|pipe[sd] up)"
    r"(?: to)?(?: (?:me|us|him|her|them))?\s*[,:]|"
    r"goes\s*[,:]|(?:he|she|they)(?:'s|'re| is| are| was| were) (?:like|all)\s*[,:]|"
    r"(?:he|she)(?:'s| is| was) like(?= i\b))"
    r"\s*[\"“]?(?=(?:i|i'm|i've|i'd|i'll|my|we|we're|we've)\b)",
    re.IGNORECASE,
)
"""After what somebody else's words begin: an "I" in them is not the driver."""
_LEANS_ON = re.compile(r"\b(?:when|whenever|if|since|as|because|after|before|once|now|until|while)\b", re.IGNORECASE)
"""What makes a clause one that only says when or why: "now she goes, I ..." quotes nobody."""


def own_words(text: str) -> str:
    """A turn without what it quotes of somebody else, who says "I" of themselves: "and he goes, I can't abide motorways"."""
    found = _SPEAKS.search(text.replace("’", "'"))
    quotes = found is not None and _LEANS_ON.search(text[: found.start()]) is None
    return text[: found.start()] if found is not None and quotes else text


def apart(one: Statement, other: Statement, *, alike: bool) -> bool:
    """Whether two things that "and" joins are two, and not one name: "fish and chips", "bob marley and the wailers".

    Args:
        one: a statement.
        other: the next.
        alike: whether both are of one category: then only a word that both end with shows that each is named whole.
    """
    if not (one.thing and other.thing):
        return True
    first, second = ([word for word in words(own.thing) if word not in _SMALL] for own in (one, other))
    if not first or not second:
        return False
    if alike:
        return first != second and min(len(first), len(second)) > 1 and first[-1] == second[-1]
    return max(len(first), len(second)) > 1
