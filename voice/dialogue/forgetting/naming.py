"""What the words of a wish to have something forgotten name, of all that is remembered: a category, a time, a thing, a reminder.

Asks memory and erases nothing. That it is such a wish says ``voice.dialogue.forgetting.erasing``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from schemas.memory import FACTS, Fact, Matches, Preference, Selector
from schemas.ports import CommandMatcher, MemoryPort
from schemas.preferences import BY_DETAIL, CATEGORIES, MAIN_TITLES, SUB_TITLES
from voice.dialogue.replies.examples import stems
from voice.dialogue.replies.turned import turned
from voice.dialogue.replies.unknown import PEOPLE

SAID_BACK = 4
"""Words of a phrase that are said back at most where nothing is called that."""
SENTENCE = re.compile(r"(?:i|i'm|i've|my|we|our|where|what|who|when|how|that|you)\b")
"""How words begin that are no name but a sentence of the driver's."""
_NAMES = re.compile(
    r"\b(?!(?:what|everything|anything|all|of|from|on|in|the|that|we|i|you|said|told|talked|spoke|about|conversations?|talk|summary|"
    r"have|your|do|out|clear|delete|erase|remove|forget|please|notes|our|heard|my|for|s|day|did|to|with|me|at|over|during|been|was|thing|things|entire|whole|"
    r"learned|learnt|know|knew|known|store|stored|save|saved|keep|kept|note|noted|record|recorded|remember|remembered|memor(?:y|ies|i[sz]ed)|"
    r"got|ve|picked|up|found|out|gathered|collected|heard|whatever|stuff|bits?|data|info|information)\b)\w+"
)
"""A word beside a time that names something."""
_CLAUSE = frozenset("do does did is are was were have has i i'm i've me mine you".split())
"""Words of a question, or of whoever asks it: what has one is not said back ("anything about music does my wife")."""
_DOES = re.compile(
    r"(?<=\w) (?:lives?|works?|likes?|loves?|hates?|wants?|needs?|said|goes|comes|finish(?:es)?|starts?|drives?)$"
)
"""What somebody does, behind who it is: "where does my mum live"."""
_JOINS = frozenset("and or in of".split())
"""What may join a person's name to more of it: "mother in law"."""
_OWNERS = r"(?:(?:my|our|his|her|their|the|an?|this|that) )"


def named(memory: MemoryPort, words: str, category: str | None) -> Selector | None:
    """What words name: a category, if they are one's name, a time, something of a time, or a thing; None: nothing."""
    if category is not None:
        what = Selector(key=category)
        return None if memory.matching(what).empty else what
    plain = " ".join(words.replace("'s", "").split())
    span, left = memory.period(plain), plain
    for word in span.words.split() if span is not None else ():
        left = re.sub(rf"\b{re.escape(word)}\b", " ", left, count=1)
    tried = [Selector(about=left, period=span)] if span is not None else []
    of_a_time = span is not None and not _NAMES.search(left)
    tried.append(Selector(period=span) if of_a_time else Selector(about=words))
    return next((what for what in tried if not memory.matching(what).empty), None)


def category(words: str) -> str | None:
    """The category, of whatever level, that is called exactly so; None for none."""
    said = stems(words)
    details = {one.detail: one.title for one in CATEGORIES}
    found = [
        key for titles in (details, SUB_TITLES, MAIN_TITLES) for key, title in titles.items() if stems(title) == said
    ]
    return found[0] if found else None


def key(matcher: CommandMatcher, about: str) -> str | None:
    """The category that free words name, by one of the names that it has."""
    if not about:
        return None
    command = matcher.match(f"what do you know about my {about}")
    if command is not None and "category" in command.slots:
        return str(command.slots["category"])
    return category(about)


BETWEEN = re.compile(r"\s*,\s*(?:and |or )?|\s+(?:and|or|plus|as well as|along with)\s+(?:also )?")
"""What stands between two things that are named."""
_EACH = re.compile(rf"{BETWEEN.pattern}|\s+(?={_OWNERS})")
_ALSO = re.compile(r"^(?:both|all|also|(?:the )?(?:fact|thing)s?(?: that| about)?|about) ")


def each(memory: MemoryPort, words: str) -> tuple[Selector, ...]:
    """What words name one after the other ("the gate and the toll roads"), where each names something else; empty else.

    Commas are not heard, so a word like "the" may begin the next thing, too.
    """
    plain = " ".join(re.sub(rf"^{_OWNERS}", "", words).split())
    if any(plain == one.value.lower() for one in memory.preferences()):
        return ()
    return next(filter(None, (_all_of(memory, between.split(words)) for between in (_EACH, BETWEEN))), ())


def _all_of(memory: MemoryPort, parts: Sequence[str]) -> tuple[Selector, ...]:
    """What each of these parts names, where that is something and nothing that another one names."""
    parts = [_ALSO.sub("", part).strip() for part in parts]
    seen = list[frozenset[str]]()
    for part in parts if len(parts) > 1 else ():
        what = named(memory, part, None) or (named(memory, bare(part), None) if bare(part) else None)
        matches = None if what is None or what.period is not None else memory.matching(what)
        names = (
            frozenset(one.id for one in (*matches.preferences, *matches.others)) if matches is not None else frozenset()
        )
        if not names or any(names & other for other in seen):
            return ()
        seen.append(names)
    return tuple(Selector(ids=tuple(sorted(names))) for names in seen)


def kind_of(memory: MemoryPort, words: str) -> str | None:
    """The detail key of the one kind of thing that words name without any of its values: "my seat"; None for all else."""
    what = named(memory, words, None)
    held = () if what is None else memory.matching(what).preferences
    if any(stems(one.value) & stems(words) for one in held):
        return None
    details = {one.detail for one in held}
    return details.pop() if len(details) == 1 else None


def by_its_kind(matches: Matches, words: str) -> bool:
    """Whether words name something by what its kind is called alone, and have nothing of what it is: "where she works"."""
    said = stems(words)
    own = (*(one.value for one in (*matches.preferences, *matches.asked)), *(one.text for one in matches.others))
    return bool(own) and not any(stems(each) & said for each in own)


def of_kind(memory: MemoryPort, kind: str, key: str | None) -> tuple[Preference | Fact, ...]:
    """What is remembered of a kind, the newest first: of a category, or of those that have its words in what they are called."""
    if key is not None:
        return memory.facts() if key == FACTS else memory.preferences(key)
    said = stems(kind)
    return tuple(p for p in memory.preferences() if said and said <= stems(BY_DETAIL[p.detail].title))


def called(words: str, question: str = "") -> str:
    """What a question is about, as the car speaks of it; "that" where the words are no name and no noun ("allergic").

    Args:
        words: what it is about.
        question: the whole of it, in the driver's words, where it is known: what stands before the words tells what they are.
    """
    found = re.search(
        rf"\b(about |of |with |on |for |who is |who's |who was )?({_OWNERS}?)({re.escape(words)})(?!\w)",
        question,
        re.IGNORECASE,
    )
    noun = not question or (found is not None and (found[1] or found[2] or found[3] != found[3].lower()))
    said = _who(f"{found[2]}{found[3]}" if found is not None else words)
    plain = re.sub(rf"^{_OWNERS}", "", _who(words).lower()).split()
    return turned(said) if noun and _CLAUSE.isdisjoint(plain) and len(plain) <= SAID_BACK else "that"


def _who(said: str) -> str:
    """Whom words name, without what they do: of "my boss drinks" it is "my boss"; a name behind it stays."""
    parts = said.split()
    last = next((at for at, word in enumerate(parts[:3]) if word.lower() in PEOPLE), None)
    if last is None:
        return _DOES.sub("", said)
    rest = parts[last + 1 :]
    joined = bool(rest) and (rest[0] in _JOINS or rest[0] != rest[0].lower())
    return said if joined else " ".join(parts[: last + 1])


def bare(words: str) -> str:
    """The words of a phrase that name something."""
    return " ".join(_NAMES.findall(words))


def waiting(memory: MemoryPort, words: str, *, mostly: bool = False) -> str:
    """The reminder that words are about, as it is called; empty where none is.

    Args:
        memory: the driver's.
        words: what was said of it.
        mostly: only one of which most words were said, or that has all that was said.
    """
    said = stems(words)
    _, held = memory.reminders.load()
    labels = [one.label for one in held if one.kind == "reminder" and stems(one.label) & said]
    if mostly:
        labels = [one for one in labels if 2 * len(stems(one) & said) > len(stems(one)) or said <= stems(one)]
    return max(labels, key=lambda label: len(stems(label) & said), default="")
