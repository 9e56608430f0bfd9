"""The door in front of everything else that an utterance may mean: does it say that something is to be forgotten, and what?

Reads words first. Four things say it: a verb of erasing ("forget", "delete"), a verb of keeping that is refused ("don't
keep", "i'd rather you didn't know"), a denial ("i never told you"), and secrecy ("that was private"). A verb that people also
use of other things ("drop", "clear") counts only where the words speak of what is remembered. What is said in other ways ("jazz
has to go") the encoder hears (``Encoder.wishes``), and it says of words that may be a wish that they are none. Whether the words
name anything that is remembered is memory's to say; whoever hears this asks before anything is erased.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from models.numbers import number_at
from models.text import words
from schemas.kinds import Wish as Told


class What(Enum):
    """What is to be forgotten."""

    LAST = "what was said or spoken of last"
    ALL = "everything"
    REMINDER = "a reminder that waits"
    NAMED = "what the words name"


@dataclass(frozen=True, slots=True)
class Wish:
    """A wish to have something forgotten."""

    what: What
    about: str = ""
    """For `What.NAMED`: the words that name it; for `What.ALL`: those that may name a time."""
    sure: bool = True
    """Whether it can be nothing else; otherwise it is a wish only if something that is remembered has that name."""
    rest: str = ""
    """What else was asked for."""
    whole: str = ""
    """The whole utterance, where it is surely about memory: what it means best is meant if `about` names nothing."""
    heard: float = 0.0
    """Probability that it is one, as the network tells it."""
    from_now: bool = False
    """Whether it asks for nothing of that kind to be kept from now on: "stop remembering my music genres"."""

    @property
    def surely(self) -> bool:
        """Whether it is one even if it names nothing."""
        return self.sure or self.heard >= SURELY_AT

    @property
    def doubtful(self) -> bool:
        """Whether words may say so and the network takes it rather for something else: nothing that is not named is meant then."""
        return self.what is What.NAMED and not self.sure and 0.0 < self.heard < AT

    @property
    def only_heard(self) -> bool:
        """Whether the network alone tells it, so that it may be an order to the car."""
        return self.what is What.NAMED and not self.sure and self.whole == self.about


AT, WORDED_AT = 0.5, 0.1
"""Probability of a wish to forget from which on a sentence is one as a whole, without words that say so and with them."""
UNNAMED_AT = {What.LAST: 0.5, What.ALL: 0.9}
"""Without such words, where it names nothing. Our choice."""
SURELY_AT = 0.9
"""The same where it names nothing that is remembered: the driver is told so, or asked what is meant. Our choice."""
NAMED_AT = 0.8
"""Probability that something is named from which on "that" is no thing spoken of before: "the gym, lose that". Our choice."""
NEVER_AT = 0.015
"""Probability below which words that may be a wish are none. Our choice, on the halves of tests/attacks/forgetting_*.jsonl that
may be read (docs/log.md)."""


_HEARD = {
    Told.NAMED: What.NAMED, Told.LAST: What.LAST, Told.EVERYTHING: What.ALL, Told.REMINDER: What.REMINDER,
}  # fmt: skip
_ERASES = re.compile(
    r"\b(?:(?<=mind )(?:forgetting|deleting|erasing|unlearning|scrapping|binning)|"
    r"forget|delete|erase|un ?(?:learn|remember|know|save|store|note|keep)|scrap|"
    r"purge|scratch|strike|disregard|expunge|rub out|bin|"
    r"(?P<idle>let go of|throw (?:away|out))|"
    r"(?P<weak>drop|lose|clear|remove|wipe|take|cut|cross|strip|throw|dismiss|discard|cancel|get rid of))\b"
)
_UNMEANT = re.compile(
    r"(?:\b(?:don't|do not|never|not|didn't|won't|can't|cannot|couldn't|shouldn't|i|we|he|she|they|i'll|i'd|always|often|"
    r"sometimes|dare|ever|me|him|"
    r"her|us|an?|the|my|our|your|their|"
    r"play|song|called|named|let's|how|why|what if i|if i|if you|if we|to play|did you|do you|have you)|"
    r"(?<!\bhold )(?<!\bhang )(?<!\bgo )(?<!\bcome )\bon|"
    r"(?<!you )(?<!have )(?<!need )(?<!you've got )"
    r"(?<!like )(?<!want )(?<!time )\bto|\b(?:i|we|he|she|they) (?:have|need|want) to|"
    r"\b(?:i|we|he|she|they) (?:can|could|may|might|must|should|will|would)(?: \w+ly| just)?)$"
)
"""Words before such a verb after which somebody else does it, nobody is to, or it is a noun ("on strike", "the bin")."""
_SELF = re.compile(r"\b(?:i|we)(?:'d)? (?:would )?(?:like|want) to$")
"""A driver who wants to do it: meant only where the words speak of what is remembered."""
_LEFT = re.compile(
    r"\b(?:don't|do not|never|not to|did you|do you|have you|why|when|(?:i|we|he|she|they)(?:'m|'re|'d| am| are)? "
    r"(?:want|like|try|trying|hope|hoping|wish) to|i (?:could|can|might|should|must))(?: you)?$"
)
"""Words before such a verb that no other reading of the sentence overrules."""
_KEEPS = re.compile(
    r"\b(?:don't|do not|never|no longer|stop|quit|not to|not|didn't|shouldn't|should not|needn't|must not|mustn't|without|"
    r"no (?:need|reason) (?:for you )?to)"
    r"(?: (?:need to|have to|want you(?: to)?|have|ever|please|really|you dare))*"
    r" (?:(?P<sure>(?<=want you )(?:thinking|believing|assuming)|"
    r"remember|remembered|remembering|memori[sz]e|memori[sz]ing|store|stored|storing|retain|retaining|learn|"
    r"(?:hang|hanging|hold|holding|cling|clinging) on to)|"
    r"(?P<weak>keep|kept|keeping|save|saved|saving|record|recorded|recording|note|noted|noting|hear|know|write down|"
    r"writing down))\b"
)
_FROM_NOW = re.compile(
    r"(?:stop|quit) (?:.* )?(?:remember|memori[sz]|stor|retain|learn)ing|"
    r"(?:don't|do not|never|no longer) (?:.* )?(?:remember|memori[sz]e|store|retain|learn)"
)
"""Such words that speak of what comes, and not of what is kept."""
_NOT_YOU = re.compile(
    r"\b(?:i|we|he|she|they|who|people|i'd|we'd)$|\b(?:my|our|his|her|the|a) \w+$|\b(?:i|we) (?:would|could|can|really|just)$"
)
"""Whoever does not keep something here is not the assistant."""
_DENIES = re.compile(
    r"\b(?:i|we)(?:'ve|'d| have| had)? (?:never|haven't|have not|did not ever)(?: ever| actually| really| even)?"
    r" (?:say|said|tell|told|mention|mentioned|talk|talked|speak|spoke|spoken|claim|claimed)\b|"
    r"\b(?:i|we) (?:didn't|did not) (?:tell you|say(?= (?:that|i|i'm|anything|a word)\b)|ever say|ever tell you|ever mention)\b|"
    r"\b(?:i|we) take(?= .*\bback\b)"
)
_NOTHING_LEFT = re.compile(r"\b(?:want|need|would like|i'd like) (?P<about>nothing left (?:of|from|about) .+)$")
_GONE = re.compile(
    r"\b(?:want|need|would like|i'd like|have) (?P<about>.+?) (?:gone|out|away|removed|deleted|erased|wiped|forgotten)"
    r"(?: (?:from|of|out of) (?:your\b|what you\b).*)?$"
)
"""What somebody wants gone."""
_REMINDS = re.compile(r"\bremind(?:ers?|ing|ed)?\b")
"""What is to be forgotten waits to be told."""
_NO_REMINDER = re.compile(
    r"\b(?:don't|do not|needn't|stop|no longer|no need to)(?: \w+){0,3} remind(?:ing)?\b(?! me (?:of|that) i\b)"
)
_ASIDE = (
    r"(?:never mind|oh|ah|uh|um|er|hm+|oops|whoops|ouch|damn|shit|gosh|god|dear|hey|well|wait|sorry|please|"
    r"okay|ok|and|but|actually|right|"
    r"(?:hang|hold) on|wait a (?:second|moment|minute)|my (?:bad|mistake|god)|by the way|"
    r"no(?! \w+ to\b| (?:need|reason|longer|more|one)\b))"
)
"""What stands beside a wish and says nothing of what is meant."""
_HUSH = (
    r"(?:(?:that|this)(?:'s| was| is| stays| remains) (?:just )?(?:private|confidential|a secret|between us|off the record|"
    r"not (?:meant )?for you|(?:none of your|nobody's|no one's) business)|off the record|"
    r"you (?:didn't|did not|never) (?:hear|heard) (?:that|this)(?: from me)?|"
    r"(?:i|we) (?:(?:shouldn't|should not|should never) have|didn't mean to|did not mean to|never meant to|didn't want to)"
    r" (?:say|said|tell|told|mention|mentioned)(?: (?:you|it|that|this|so|anything|to you))+)"
)
"""That what was said is none of the assistant's business: a wish by itself."""
_EXCUSE = (
    rf"(?:{_HUSH}|(?:it|that|this|what i said)(?:'s| was| is) (?:just |really |only )?(?:private|personal|a secret|between us|"
    r"(?:not )?meant for (?:you|my \w+)|(?:none of your|nobody's|no one's) business)|(?:that|this|it) (?:just )?slipped out)"
)
"""The same, or what is a reason only beside a wish."""
_ASIDES = re.compile(rf"^(?:{_ASIDE} )+(?=.)")
_HUSHES = re.compile(rf"^{_HUSH}(?: (?:{_ASIDE}|{_EXCUSE}))*$")
_REASON = re.compile(rf" (?:(?:{_ASIDE}|because|since|as) )*{_EXCUSE}(?: (?:{_ASIDE}|{_EXCUSE}))*$")
_REMEMBERED = re.compile(
    r"\b(?:you (?:know|have|heard|learned|learnt|remember|remembered|keep|kept|store|stored|got|noted)|you've (?:got|learned|"
    r"learnt|"
    r"stored|noted|kept|heard|remembered)|your (?:memory|mind|records?|notes?|list|lists|thoughts?|files?|head|database|"
    r"summar(?:y|ies))|"
    r"(?:i|we)(?:'ve)?(?: just| ever| have| had| once)* (?:said|told|mentioned|talked|spoke|discussed|say|tell)|we (?:talked|"
    r"spoke|discussed)|"
    r"conversations?|our (?:talk|chat)|(?:thing|bit|part|stuff|everything|anything|all)(?: i said| you know)? (?:about|from|of)|"
    r"summary|memories|thoughts|"
    r"my (?:preferences?|data|profile)|(?:the )?fact that|that (?:i|i'm|i've|i'd|my|we|we're|our)|(?:where|what|who|when|how|"
    r"whether) (?:i|my|we))\b"
)
"""Words that speak of what is remembered, or of what the driver said."""
_LAST = re.compile(
    r"^(?:(?:about )?(?:(?:that|this) (?:one|rule|entry|note|habit|preference|setting)|"
    r"(?:that|it|this|these|those|them|him|her)(?: one| all)?)|"
    r"(?:(?:that|what|all|everything) )?(?:i|we)(?: just| ever|"
    r" have|'ve| only)* "
    r"(?:said|told you|mentioned|talked about|say)(?: (?:that|it|this|so))?|the last (?:thing|sentence|one|bit|"
    r"part)(?: (?:that )?i (?:just )?(?:said|told you))?)?"
    r"(?: (?:again|please|now|too|immediately|at once|right away|right now|just now|any ?more|then|okay|ever|completely|"
    r"(?:from|out of) (?:your |the )?(?:memory|mind|records?)|to you|you|back))*$"
)
_IDLE = frozenset(
    """please can could would will you i want need like to the a an and so but then okay ok no wait hey oh now just also true not
    right
    wrong that's that it it's this is was private confidential secret record off none of your business actually sorry there's there
    something have must should scratch strike computer well yes thing don't do keep i'd rather just""".split()
)
"""Words around such a verb that name nothing."""
_ALL = (
    r"(?:everything|anything|all|whatever|nothing|every (?:single |last )?(?:thing|bit|word)|(?:the )?(?:whole )?lot)"
)
_WHOLE = (
    r"(?:all )?(?:of )?(?:(?:your|the)(?: whole| entire| complete| full)? memory|your (?:whole |entire )?(?:mind|memories)|"
    r"(?:my|the) (?:memories|data about me|preferences)|my (?:whole |entire |complete )?(?:data|profile)|your memor(?:y|ies) of me)"
)
"""What is all by itself."""
_WHO = (
    r"(?:you|i|we)(?:'ve)?(?: have| had| ever| already)* (?:known?|have|got|hold|remember(?:ed)?|stored?|saved?|keep|kept|noted?|"
    r"recorded|learned|learnt|collected|gathered|picked|heard|found|written|said|told|talked|spoke|spoken|mentioned|shared|discussed)"
    r"(?: up| out| down| about)?(?: (?:to )?you)?"
)
"""Whoever said or learnt it."""
_BEFORE = re.compile(rf"\b(?:{_WHO}|your)\b")
"""What is said or learnt already, and not from now on."""
_ME = r"(?:about|on|of|from) (?:me|us)"
_SO_LONG = (
    r"(?:so far|(?:until|till|up to) (?:now|today)|to date|ever|over (?:the|all these) (?:years|months|weeks)|all this time|"
    r"since (?:we met|the (?:very )?(?:beginning|start)|day one)|from the (?:very )?(?:beginning|start))"
)
_FROM = r"(?:(?:from|in|of|out of) (?:your|the)(?: whole| entire)? (?:memory|mind|records?|head|database|files?|notes|lists?))"
_HOW = r"(?:please|now|just|absolutely|completely|entirely|totally|at once|right away|for good|forever|there is|thanks)"
_THINGS = r"(?:(?:the|those|these|my|your) )?(?:things?|data|information|info|stuff|facts|details|memories)"
_EVERYTHING = re.compile(
    rf"^(?=.*\b(?:{_ALL}|{_WHOLE})\b)"
    rf"(?:(?:{_WHOLE}|{_ALL}|{_WHO}|{_ME}|{_SO_LONG}|{_FROM}|{_HOW}|{_THINGS}|about|of|it|that|what|and|left)(?: |$))+$"
)
"""All words, who said or learnt it, since when, about me, from where, how: in any order, and nothing else."""
_OF_MEMORY = re.compile(rf"\b(?:{_WHO}|{_ME}|{_WHOLE}|{_FROM})\b")
"""Which of them speaks of what is remembered: "clear everything" may ask for something else."""
_EVER = re.compile(rf"\b(?:{_SO_LONG}|it all|all of it|all there is)\b")
"""What reaches beyond what was said just now."""
_ELSE = re.compile(r"\b else\b")
_SPARES = re.compile(
    r"^(?:please )?(?:keep|leave|not|don't (?:touch|forget|delete|erase|lose)|hold on to|hang on to) "
    r"(?!(?:it|that|this|them|those|these|any|a word|a trace)\b)"
)
"""How a clause begins that names what is to stay."""
_ALL_BUT = re.compile(
    r"(?P<all>\b(?:everything|all|it all)\b.*?) (?P<but>(?:except|apart from|other than|besides|aside from|(?<=\ball )but|"
    r"(?<=\beverything )but)\b.*)"
)
"""All but something: not all, and not that."""
_COUNTED = re.compile(
    r"^(?:(?:all|the|my|our|your|those|these|of) )*(?P<count>both|\w+)(?: (?:of|all|the|my|our|them|those|these|that))*"
    r"(?: (?:favou?rite|preferred|last))?(?: (?P<kind>(?!ones?\b|things?\b)\w+(?: \w+)??))??"
    r"(?: (?:ones?|things?|likings?|likes|tastes?|favou?rites?|preferences?|memories))?$"
)
"""A number of things of one kind."""
LEAST, MOST = 2, 10
"""Things that are named together."""
_CLAUSE = re.compile(r"\s*(?:(?:[,;!?]|[.:](?!\d))+|\b(?:and then|and also|and|then|so|but|because|plus)\b)\s*")
_THING = re.compile(r"(?:also )?(?:the|my|that) (?:\w+ ){0,3}(?:degrees?|percent)$|(?:that|what|about)\b")
"""A part that names one more thing and asks for nothing by itself: "... and the 21 degrees"."""
_TAIL = re.compile(
    r"(?: (?:please|now|okay|right away|at once|any ?more|again|will you|would you|could you|thanks|thank you|ever|"
    r"(?:from|out of|off|in) (?:your |the )?(?:memory|mind|records?|list|lists|head|database|notes?|files?)|back|"
    r"(?:from )?what you (?:know|have|remember)(?: (?:about|on|of) me)?|don't keep (?:it|that)|do not keep (?:it|that)))+$"
)
_HEAD = re.compile(
    r"^(?:that |about |from |the |all |everything |anything |whatever |what |of |it |this |please |out |off |away |you know |"
    r"you have |you've got |"
    r"you(?:'ve| have) (?:learned|learnt|stored|noted) |i (?:just |ever )?(?:said|told you|mentioned) |we (?:talked|spoke) |"
    r"on me |to you |"
    r"(?:fact|thing|bit|part) |on |with you |anything )+"
)


def wish(text: str, is_order: Callable[[str], bool], told: Mapping[Told, float] | None = None) -> Wish | None:
    """The wish to have something forgotten that an utterance is, or has in it; None where it has none.

    Args:
        text: the utterance.
        is_order: whether words ask for something else that the car does: that is done beside it.
        told: what memory is asked for (``Encoder.wishes``); None: the words alone say it.
    """
    text = _unspared(text, is_order)
    found = _worded(text, is_order)
    if told is None:
        return found
    sure, whole = 1.0 - told[Told.NONE] - told[Told.KEEP], " ".join(words(text))
    if found is not None:
        if found.what in (What.NAMED, What.LAST) and told[Told.EVERYTHING] >= UNNAMED_AT[What.ALL]:
            return Wish(What.ALL, found.about, rest=found.rest, heard=sure)
        if found.what is What.ALL and not found.sure and told[Told.EVERYTHING] < AT:
            return None
        if found.what is What.LAST and told[Told.NAMED] >= NAMED_AT and not found.rest:  # what is named is in the rest
            return Wish(What.NAMED, whole, whole=whole, heard=sure)
        if found.what is not What.NAMED:
            return found
        if not found.sure and sure < NEVER_AT:
            return None
        found = replace(found, heard=sure)
        return replace(found, whole=whole) if sure >= WORDED_AT or found.sure else found
    if sure < AT or left(whole):
        return None
    heard = max(_HEARD, key=told.__getitem__)
    what = _HEARD[heard]
    if what in UNNAMED_AT and told[heard] < UNNAMED_AT[what]:
        what = What.NAMED
    return Wish(what, whole, sure=False, whole=whole if what is What.NAMED else "", heard=sure)


def after_all_else(text: str, is_order: Callable[[str], bool], told: Mapping[Told, float] | None = None) -> str:
    """The order that is to be done before whatever else goes on, as in "drop everything and play jazz"; empty where there is none.

    What is remembered is not spoken of there: nothing says so, and what the network hears is no wish. Arguments as of `wish`.
    """
    lower = text.lower()
    for cut in _CLAUSE.finditer(lower):
        head, rest = " ".join(words(lower[: cut.start()])), text[cut.end() :].strip()
        match = _ERASES.search(head)
        if match is None:
            continue
        before, after = head[: match.start()].split(), head[match.end() :].strip()
        all_else, else_ = _ELSE.subn("", after)
        if not _IDLE.issuperset(before) or not _EVERYTHING.match(all_else) or _OF_MEMORY.search(after):
            return ""
        none = bool(match["weak"] or else_) if told is None else told[Told.NONE] >= AT
        return rest if none and is_order(rest) else ""
    return ""


def counted(words: str) -> tuple[int, str] | None:
    """How many things words name together and of which kind, as in "both of my bands"; no kind where none is named."""
    found = _COUNTED.match(words)
    count = None if found is None else 2 if found["count"] == "both" else number_at((found["count"],), 0)
    return None if found is None or count is None or not LEAST <= count <= MOST else (int(count), found["kind"] or "")


def keeps(text: str) -> bool:
    """Whether the words ask for nothing to be kept, rather than for something to go."""
    plain = " ".join(words(text))
    return _KEEPS.search(plain) is not None and _ERASES.search(plain) is None


def left(text: str) -> bool:
    """Whether the words say themselves that nothing is to be forgotten, or ask whether something was."""
    text = " ".join(words(text))
    return any(_LEFT.search(text[: match.start()].strip()) for match in _ERASES.finditer(text))


def unmeant(told: Mapping[Told, float] | None) -> bool:
    """Whether the network surely hears no wish to have something forgotten; False where it is not asked."""
    return told is not None and 1.0 - told[Told.NONE] - told[Told.KEEP] < NEVER_AT


def _unspared(text: str, is_order: Callable[[str], bool]) -> str:
    """The utterance without what is to stay: "throw away Coldplay but keep Metallica". An order stays in it."""
    first, *others = [" ".join(words(part)) for part in _CLAUSE.split(text.lower()) if words(part)] or [""]
    left = [part for part in others if not _SPARES.match(part) or is_order(part)]
    return text if len(left) == len(others) or not _speaks_of_erasing(first) else " and ".join((first, *left))


def _worded(text: str, is_order: Callable[[str], bool]) -> Wish | None:
    spared = _ALL_BUT.search(" ".join(words(text)))
    if spared is not None and (before := _found(spared.string[: spared.end("all")])) and before.what is What.ALL:
        return Wish(What.NAMED, spared["but"])
    if _found(" ".join(words(text))) is None:
        return None
    parts = [" ".join(words(part)) for part in _CLAUSE.split(text.lower()) if words(part)]
    others = (
        [part for part in parts if not _speaks_of_erasing(part) and not _THING.match(part)] if len(parts) > 1 else []
    )
    orders = [part for part in others if is_order(part)]
    plain = " ".join(words(text)) if not orders else " ".join(part for part in parts if part not in orders)
    found = _found(plain)
    if found is None:
        return None
    return replace(found, rest=" and ".join(orders))


def _speaks_of_erasing(text: str) -> bool:
    return any(pattern.search(text) for pattern in (_ERASES, _KEEPS, _DENIES))


def _found(text: str) -> Wish | None:
    text = _ASIDES.sub("", text)
    if _HUSHES.match(text):
        return Wish(What.LAST)
    text = _REASON.sub("", text)
    reminder = _NO_REMINDER.search(text)
    if reminder is not None:
        return Wish(What.REMINDER, text[reminder.end() :].strip(), sure=False)
    for match in _ERASES.finditer(text):
        before, after = text[: match.start()].strip(), text[match.end() :].strip()
        own = _SELF.search(before) is not None
        if not own and _UNMEANT.search(before):
            continue
        named = _named(before, after, weak=match["weak"] is not None or own)
        idle = match["idle"] is not None and named is not None and named.what is What.NAMED
        return replace(named, sure=False) if idle and named is not None else named
    for match in _KEEPS.finditer(text):
        before, after = text[: match.start()].strip(), text[match.end() :].strip()
        mine = re.search(r"\b(?:i|we)$", before) is not None
        if mine != (" want you" in match.group()) or (not mine and _NOT_YOU.search(before)):
            continue
        if match["weak"] == "know" and not re.match(r"(?:didn't|not|no)\b", match.group()):
            continue
        told = before.endswith("you") or " for you " in match.group()
        if _EVERYTHING.match(after) and not _BEFORE.search(after):
            return None  # from now on
        named = _named(before, after, weak=match["weak"] is not None and not told)
        if named is None or named.what is not What.NAMED:
            return named
        surely = named.sure or (match["sure"] is not None and "on to" not in match["sure"])
        return replace(named, sure=surely, from_now=_FROM_NOW.fullmatch(match.group()) is not None)
    gone = _GONE.search(text) or _NOTHING_LEFT.search(text)
    if gone is not None and not re.search(r"\bnot?\b", gone["about"]):
        return _named(text[: gone.start()].strip(), gone["about"], weak=False, denied=True)
    denied = _DENIES.search(text)
    if denied is not None:
        after = text[denied.end() :].strip()
        if _LAST.match(after):
            return Wish(What.LAST) if denied.group().endswith("take") else None
        return _named("", after, weak=False, denied=True)
    return None


def _named(before: str, after: str, *, weak: bool, denied: bool = False) -> Wish | None:
    """What the words after such a verb name, or those before it where a pronoun stands for them."""
    everything = _EVERYTHING.match(after) is not None
    if everything and (not _LAST.match(after) or _EVER.search(after)):
        return Wish(What.ALL, sure=not weak or _OF_MEMORY.search(after) is not None)
    if _LAST.match(after) or _found_again(after):
        left = [word for word in before.split() if word not in _IDLE]
        if left and not _LAST.match(before):
            return Wish(What.NAMED, _bare(before), sure=False)
        said = after not in ("", "about it")
        return Wish(What.LAST) if said and not (weak and not _speaks(after)) else None
    if _REMINDS.search(after):
        return Wish(What.REMINDER, after, sure=False)
    speaks = _REMEMBERED.search(after) is not None or (_TAIL.search(after) is not None and "memory" in after)
    number = counted(after)
    if weak and not speaks and not re.search(r"\b(?:your|what you) ", after) and not (number and number[1]):
        return None
    about = _bare(after)
    return Wish(What.NAMED, about, sure=speaks and not denied) if about else None


def _speaks(after: str) -> bool:
    return after.startswith(("that", "what i", "the last", "it", "this", "them", "those"))


def _found_again(after: str) -> bool:
    """Whether nothing but "that" stands before another such verb ("scratch that don't keep it")."""
    again = _KEEPS.search(after) or _ERASES.search(after)
    return (
        again is not None and _LAST.match(after[: again.start()].strip()) is not None and after[: again.start()] != ""
    )


def _bare(text: str) -> str:
    return _HEAD.sub("", _TAIL.sub("", f" {text}").strip()).strip()
