"""One way of writing each value: what the driver said -> what is stored.

Three kinds of category:

- *closed* (`memory.learn.english.vocabulary.CLOSED`): the value is one of a fixed few, which the words stand for rather than name
  ("not too hot" is ``medium``). The encoder's choice where it is sure, then rules; what neither can place is not stored.
- *listed*: the examples of the category and the ways of saying them in `SAID_AS`; anything else stays as it was said
  (`plain_value`), so a new supermarket is stored under its own name.
- temperatures: a number and ``degrees``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from memory.learn.english.kinds import KINDS, plausible
from memory.learn.english.negation import Polarity, clause
from memory.learn.english.phrasings import SAID_AS
from memory.learn.english.vocabulary import CLOSED, FLIP_ANSWER, Patterns
from models.numbers import number_at, numbers
from models.text import normal, words
from schemas.ports import Encoder
from schemas.preferences import BY_DETAIL

_ANSWERS = frozenset(detail for detail, closed in CLOSED.items() if closed.flips is FLIP_ANSWER)
_THINGS = frozenset(
    detail
    for detail, category in BY_DETAIL.items()
    if (category.multi and detail != "dietary_preference")
    or detail in ("preferred_music_streaming_service", "preferred_radio_station", "general_news_source")
)
SURE_CHOICE = 0.7
LIKELY_CHOICE = 0.5
"""Share of the encoder's choice from which on it counts before the rules, and after them. Values of CarMem's development half
(311 utterances in closed categories): rules alone .74, choice alone .88, this order .89."""
LEAST_CHOICE = 0.4
"""And where neither tells, from this share on."""
LIKE_EXAMPLE, CLEARLY = 0.6, 0.15
"""Cosine from which on a value alone is another way of writing an example, and how much farther the next one is. Our choice."""
_REMARK = re.compile(r"\s*\([^()]*\)$")
"""A remark behind a value alone: "Ed Sheeran (pop)"."""
_ANSWER = re.compile(r"(yes|no)\b(?=$|[ ,.;(])")
_INGREDIENT = re.compile(
    r"^(?:\w+ )?(?:meat|pork|gluten|wheat|milk|dairy|nuts?|peanuts?|shellfish|shrimps?|sugar|carbs?|eggs?|"
    r"sea ?food|fish|soy|sesame|lactose)$"
)
"""Kept although the sentences decide as well without it: who avoids nuts must not have their diet ended by "avoid"."""

_DIET = re.compile(r"^(?:strictly )?(?:vegetarian|vegan|halal|kosher|keto|paleo|pescatarian|plant based|low carb)")

_REFUSING = re.compile(r"^(?:no|non|not|without)[ -]+(?:any |a )?")

_ARTICLES = frozenset(("a", "an", "the", "some", "my", "any", "this", "that", "those", "these", "by", "songs"))
_KINDS = (
    r"(?:(?:music|musical|podcast|radio|news|petrol|gas|fuel|charging|fast food|rock|pop) )?"
    r"(?:genre|kind|type|style|band|group|singer|artist|musician|song|track|tune|podcast|show|station|channel|network|chain|brand|"
    r"supermarket|store|shop|market|restaurant|place|cuisine|diet|service|app|source|food)s?"
)
_NAMING = re.compile(
    rf"^(?:(?:a|an|the|this|that|some|any) )?(?:(?:{_KINDS} )?(?:(?:that|which) (?:is|are) |that's )?(?:called|named)|"
    r"(?:(?:music|musical|podcast|food) )?genre(?: of)?) (?=\w)"
)
"""Words before a value that only say that it is a name, and of what kind: "a place called", "music genre"."""
_TAILS: dict[str, frozenset[str]] = {
    "favourite_cuisine": frozenset(
        "food cuisine cooking dishes restaurant restaurants kitchen places flavours".split()
    ),
    "preferred_restaurant_type": frozenset("restaurant restaurants places place".split()),
    "favorite_genres": frozenset("music songs tunes radio station stations channel channels".split()),
    "preferred_music_streaming_service": frozenset("service app streaming".split()),
    "favorite_podcast_genres": frozenset("podcast podcasts shows stories".split()),
    "favorite_podcast_shows": frozenset("podcast podcasts show shows".split()),
    "preferred_gas_station": frozenset("station stations fuel petrol gas garage".split()),
    "preferred_charging_network": frozenset("chargers charger superchargers network stations station".split()),
    "preferred_supermarket_chain": frozenset("supermarket supermarkets store stores".split()),
    "general_news_source": frozenset("headlines news".split()),
    "preferred_radio_station": frozenset("station radio".split()),
    "airflow_direction_preferences": frozenset(
        "air aircon ac conditioning airflow vents fan breeze cold cool warm on off".split()
    ),
}
_NAMES = frozenset(("preferred_radio_station", "general_news_source", "favorite_podcast_shows", "preferred_gas_station",
                    "preferred_charging_network", "preferred_supermarket_chain"))  # fmt: skip


def polarity(detail: str, said: str) -> Polarity:
    """How refusing words bear on a value of this category, said in these words."""
    if detail in _ANSWERS:
        return Polarity.ANSWER
    if detail == "avoidance_of_specific_road_types":
        return Polarity.AVOIDED
    if detail == "dietary_preference":
        if _INGREDIENT.match(normal(said)):
            return Polarity.AVOIDED
        return Polarity.PLAIN if _DIET.match(_REFUSING.sub("", normal(said))) else Polarity.STATED
    return Polarity.PLAIN if detail in _THINGS else Polarity.STATED


def bare_name(said: str) -> str:
    """A name without the words before it that only say that it is one: of "a place called tesco" and "music genre jazz"."""
    found = _NAMING.match(normal(said))
    return said if found is None else normal(said)[found.end() :]


def is_closed(detail: str) -> bool:
    """Whether the category's value is one of a fixed few."""
    return detail in CLOSED


_TURNED_DOWN = re.compile(
    r"\b(?:not|no|never|cannot|avoid\w*|exclud\w*|skip|disabl(?:e|ing)|deactivat\w*|ignore|disregard|stop|without|any ?more|"
    r"any longer|"
    r"no longer|remove|(?:turn|switch)(?: \w+){0,3} off|forget|instead of|rather than|other than|anything but|except|cancel|"
    r"done with|used to|too)\b|n't\b|\bnon\b"
)
_INDIFFERENT = re.compile(
    r"\bindifferent\b|\bno (?:real |particular |strong )?preference\b|\bwho cares\b|\beither way\b|\ball the same\b|"
    r"\b(?:don't|do not|doesn't|does not|never)(?: \w+){0,2} (?:care|mind|matter|bother)\b|\b(?:makes? )?no difference\b|"
    r"\bnot (?:\w+ )?(?:important|bothered|concerned|fussed|worried)\b|"
    r"\b(?:covered|guarded|watched|secured?|roof|guards?) or (?:not|no \w+|un\w+|open)\b"
)
_NO_PLACE_WITHOUT = re.compile(
    r"(?:n't|\bnot|\bnever|\bcannot|\brefuse|\bhate|\bavoid|\bno longer)(?! (?:\w+ )?(?:mind|care|need|bother\w*|matter)\b)\b.*"
    r"(?:\b(?:without|unless)\b|"
    r"\b(?:where|anywhere|somewhere|that|that's|which|with|there's|has|have|is|are)(?: \w+){0,2}(?:n't| not?| nobody| nothing)\b)"
)
"""Who refuses a place that lacks something wants it: "i won't park where there are no cameras"."""
_CARES = re.compile(
    r"(?:n't|\bnot|\bno longer|\bnever)(?: \w+){0,3} indifferent\b|\bindifferent\b.*\b(?:any ?more|any longer)\b"
)
_MAY_BE_ALL_THE_SAME: frozenset[str] = frozenset(
    ("preference_for_covered_parking", "preference_for_parking_with_security")
)
INDIFFERENT = "indifferent"
"""The value of these where the driver has no preference, which is another thing than not wanting it (``no``)."""
_LONGER = "willingness_to_take_longer_route_to_avoid_traffic"
_STEP = r"(?<!not )(?<!than )(?<!above )(?<!below )(?<!from )\b(?:level|setting|stage|step) (?:number )?"
"""Before the number of a level, where it is meant."""
_NO_FARTHER = r"(?:n't|\bnot|\bnever|\bcannot|\bno|\brefuse to)(?! (?:mind|care|bother|matter|know)\b)(?: \w+){0,3}?"
_FEW, _TEN = "a|one|two|three|four|five|[1-5]|a couple of|a few", "six|seven|eight|nine|ten|[6-9]|10"
"""A walk that is refused, and the minutes of a short one and of one that is less so."""
_OUTRIGHT: Mapping[str, Patterns] = {
    "seat_heating_preferences": (
        (_STEP + r"(?:one|1)\b", "low"),
        (_STEP + r"(?:two|2)\b", "medium"),
        (_STEP + r"(?:three|3)\b", "high"),
    ),
    "fan_speed_preferences": (
        (_STEP + r"(?:one|two|1|2)\b", "low"),
        (_STEP + r"(?:three|3)\b", "medium"),
        (_STEP + r"(?:four|five|4|5)\b", "high"),
    ),
    _LONGER: (
        (
            (
                r"\beven (?:if|though|when)\b.*\b(?:longer|slower|more time|not (?:the )?(?:fastest|quickest)|"
                r"(?:isn|aren)'t (?:the )?(?:fastest|quickest))\b|\bnot the (?:fastest|quickest)\b"
            ),
            "yes",
        ),
        (
            r"\bavoid\b.*\b(?:traffic|congestion|jams)\b.*\b(?:at all costs|regardless|no matter|whatever it takes)\b",
            "yes",
        ),
        (r"\b(?:fast|fastest|quickest|speed)\b.*\bnot (?:for |by )?(?:\w+ )?(?:traffic|detours)\b", "no"),
    ),
    "distance_willing_to_walk_from_parking_to_destination": (
        (
            (
                r"\beven if\b.*\bwalk\w*\b|"
                r"\b(?:regardless of|no matter|never mind|whatever) (?:the |how )?(?:\w+ )?(?:walk\w*|distance|far)\b|"
                r"(?:n't|\bnot|\bnever) (?:mind|care|bother|matter)\b.*\b(?:far|distance|more than|longer than)\b"
            ),
            "distance does not matter",
        ),
        (
            rf"{_NO_FARTHER} (?:more|farther|further|longer) than (?:about |around )?(?:{_FEW}) min|{_NO_FARTHER} far\b",
            "less than 5 minutes",
        ),
        (
            rf"{_NO_FARTHER} (?:more|farther|further|longer) than (?:about |around )?(?:{_TEN}) min",
            "less than 10 minutes",
        ),
    ),
    "price_sensitivity_for_fuel": (
        (
            (
                r"\bquality\b.*\b(?:over|before|above|more than|rather than) (?:the )?(?:price|cost)|"
                r"\b(?:avoid|skip|not|no)(?: \w+){0,4} (?:cheapest|lowest[- ]priced) "
                r"(?:fuel|petrol|gas|ones?|stations?|pumps?)\b"
            ),
            "price is irrelevant",
        ),
        (r"\b(?:price|cost)s?(?: \w+)? (?:does|do) matter\b", "rather cheap"),
    ),
}
"""Said outright, whatever the encoder makes of it."""
_LEVEL_WORDS: tuple[tuple[str, str], ...] = (
    (r"low|lower|soft|softly|gentle|weak|dim|dark|slow", "low"),
    (r"medium|moderate|middle", "medium"),
    (r"high|higher|strong|strongly|bright|fast|hot", "high"),
    (r"cheap|cheapest", "cheap"),
    (r"expensive|pricey|high[- ]priced|dear", "expensive"),
)
_REFUSED_BY_WORDS: frozenset[str] = frozenset((
    "preferred_payment_method", "preferred_parking_type", "preference_for_local_markets_farms_or_supermarket",
    "airflow_direction_preferences", "interior_lighting_ambient_preferences", "preference_for_covered_parking",
    "preference_for_parking_with_security", "need_for_handicapped_accessible_parking",
    "willingness_to_pay_extra_for_green_fuel", "preferred_type_of_charging_while_traveling",
    "preferred_type_of_charging_at_everyday_points",
))  # fmt: skip
"""Closed categories whose values are things to have or not, which refusing words turn down; the others' values are said in
refusing words themselves ("traffic? no thanks" is ``low``)."""


def turned_down(detail: str, value: str, sentence: str, said: str) -> bool:
    """Whether a sentence turns down a value of a closed category by the words before it.

    Args:
        detail: detail key.
        value: canonical.
        sentence: the driver's.
        said: the words of it that carry the value.
    """
    if detail in _LEVELS:
        return value == "medium" and _level_refused(value, clause(sentence, said)) is not None
    if detail not in _REFUSED_BY_WORDS or value in ("no", INDIFFERENT):
        return False
    if wanted_by_refusing(detail, sentence, said):
        return False
    around, own = clause(sentence, said), normal(said)
    end = max(around.find(own), 0) + (0 if detail in _ANSWERS else len(own))
    before = around[:end] if own != around or detail not in _ANSWERS else around
    return _TURNED_DOWN.search(before) is not None


_LEVELS: frozenset[str] = frozenset((
    "fan_speed_preferences", "seat_heating_preferences", "interior_lighting_brightness_preferences", "desired_price_range",
))  # fmt: skip


def refuses_another_level(detail: str, value: str, sentence: str) -> bool:
    """Whether what a sentence refuses is another level than this one: "i don't want it low" where the value is ``high``."""
    others = {level for _, level in _LEVEL_WORDS} - {value}
    return detail in _LEVELS and any(_level_refused(level, normal(sentence)) is not None for level in others)


def said_by_refusing(detail: str, value: str, sentence: str) -> bool:
    """Whether a value is itself said in refusing words, which then end nothing: "ignore what it costs", "i don't tolerate jams"."""
    if value in _CARELESS:
        return True
    return detail == "tolerance_for_traffic" and value == "low" and _NO_PATIENCE.search(normal(sentence)) is not None


_CARELESS: frozenset[str] = frozenset(("price is irrelevant", "distance does not matter", INDIFFERENT))
_NO_PATIENCE = re.compile(
    r"(?:n't|\bnot|\bnever|\bcannot|\bno longer)(?: \w+){0,2} (?:toler\w+|patien\w+|cope|stand|bear|put up with|handle|take)\b"
)


def _level_refused(value: str, text: str) -> str | None:
    """What a text wants that refuses this very level by its name ("i don't want it low"); None if it does not.

    Too much of it is refused more gently than the thing itself: "not too hot" is ``medium``, "not hot" is ``low``.
    """
    for pattern, level in _LEVEL_WORDS:
        too = rf"(?:n't|\bnot|\bwithout)(?: \w+){{0,3}}? too (?:{pattern})\b"
        refused = (
            rf"\b(?:don't|do not|doesn't|no longer) (?:\w+ )?(?:want|like|need|prefer)(?: \w+){{0,4}} (?:{pattern})\b|"
            rf"\b(?:stop|avoid)(?: \w+){{0,3}} (?:{pattern})\b|"
            rf"\b(?:hates?|detest|loathe|dislike|can't stand|can't bear|never want)(?: \w+){{0,6}} (?:{pattern})\b|"
            rf"(?:n't|\bnot) (?:(?:\w+ )?(?:in|at|on|set|into|for|of) )?(?:the |so |that )?(?:{pattern})\b"
        )
        if level == value and re.search(_MIDDLING, text) is None and _ENDED.search(text) is None:
            if re.search(too, text):
                return "mid range" if level in _PRICES else "medium"
            if re.search(refused, text):
                return _PRICES.get(level) or _OPPOSITE[level]
    return None


_PRICES = {"cheap": "mid range", "expensive": "cheap"}
_OPPOSITE = {"low": "high", "high": "low", "medium": "medium"}
_MIDDLING = r"\bnot too \w+ (?:and |but |or )?not\b|\bneither\b"


class Canon:
    """Writes values one way."""

    def __init__(self, encoder: Encoder) -> None:
        """Uses this encoder where the words alone do not tell."""
        self._encoder = encoder

    def canonical(self, detail: str, said: str, sentence: str | None) -> str | None:
        """The value as it is stored, or None where the words tell none.

        Args:
            detail: detail key.
            said: the words that carry the value.
            sentence: the driver's sentence they stand in; None for a value alone, which the encoder has not learnt to read.
        """
        alone, sentence = sentence is None, said if sentence is None else sentence
        said = bare_name((alone and _REMARK.sub("", said).strip()) or said)
        if detail == "preferred_temperature":
            return temperature(said) or temperature(clause(sentence, said))
        if wanted_by_refusing(detail, sentence, said):
            return "yes"
        if normal(said) in BY_DETAIL[detail].examples:
            other = _level_refused(normal(said), normal(sentence)) if detail in _LEVELS else None
            return other or normal(said)
        if detail in CLOSED:
            value = self._closed(detail, said, sentence, alone=alone)
            other = _level_refused(value, normal(sentence)) if value is not None and detail in _LEVELS else None
            return other or value
        kind = _TAILS.get(detail, frozenset())
        if kind and all(word in kind or word in _ARTICLES for word in words(said)):
            return None  # "podcasts" is no kind of podcast
        return _by_pattern(SAID_AS.get(detail, ()), normal(said)) or plain_value(detail, said)

    def _closed(self, detail: str, said: str, sentence: str, *, alone: bool) -> str | None:
        """One of a fixed few: the encoder's choice where it is sure, else by rule, else its likeliest choice."""
        if detail in _ANSWERS and (answer := _ANSWER.match(normal(said))):
            return answer.group(1)
        if detail in _MAY_BE_ALL_THE_SAME and all_the_same(clause(sentence, said)):
            return INDIFFERENT
        if (outright := _by_pattern(_OUTRIGHT.get(detail, ()), normal(sentence))) is not None:
            return outright
        if alone:
            return by_rule(detail, said, sentence) or self._nearest(detail, said)
        choices = self._encoder.choices(sentence, detail)
        best = max(choices, key=choices.__getitem__, default=None) if len(choices) > 1 else None
        if best is not None and choices[best] >= SURE_CHOICE:
            return best
        ruled = by_rule(detail, said, sentence)
        if ruled is None and best is not None and choices[best] >= LIKELY_CHOICE:
            return best
        likeliest = best if best is not None and choices[best] >= LEAST_CHOICE else None
        return ruled or likeliest

    def _nearest(self, detail: str, said: str) -> str | None:
        """The example of a closed category that a value alone means: the one with its numbers, else the clearly nearest one."""
        examples = BY_DETAIL[detail].examples
        amounts = numbers(said)
        alike = [one for one in examples if amounts and numbers(one) == amounts]
        if amounts or len(examples) < 2:
            return alike[0] if len(alike) == 1 else None
        vectors = self._encoder.encode([said, *examples])
        close = sorted(zip((vectors[1:] @ vectors[0]).tolist(), examples, strict=True), reverse=True)
        return close[0][1] if close[0][0] >= LIKE_EXAMPLE and close[0][0] >= close[1][0] + CLEARLY else None


def wanted_by_refusing(detail: str, sentence: str, said: str) -> bool:
    """Whether something about a place to park is wanted, since the driver refuses the places that lack it."""
    return detail in _MAY_BE_ALL_THE_SAME and _NO_PLACE_WITHOUT.search(clause(sentence, said)) is not None


def all_the_same(text: str) -> bool:
    """Whether a text says that something makes no difference to the driver."""
    return _INDIFFERENT.search(text) is not None and _CARES.search(text) is None


def by_rule(detail: str, said: str, sentence: str) -> str | None:
    """The value of a closed category by `CLOSED`'s patterns: from the words said, else from the statement round them."""
    closed = CLOSED[detail]
    around = clause(sentence, said)
    own = normal(said)
    start = max(around.find(own), 0)
    for text, offset in ((own, start), (around, 0)):
        for pattern, value in closed.patterns:
            match = re.search(pattern, text)
            if match:
                flips = closed.flips or {}
                before = around[: offset + match.start()]
                return flips.get(value, value) if _refused(match.group(), before, around, detail) else value
    return None


def temperature(said: str) -> str | None:
    """``22 degrees`` or ``20.5 degrees`` for a number in words or digits, or None.

    From 14 to 30, what a cabin may be wanted at, it is Celsius; from 60 to 85 Fahrenheit, to the nearest half degree Celsius.
    """
    parts = words(said.replace(".", " point ").replace("°", " degrees ").replace("-", " "))
    found = (number_at(parts, place) for place in range(len(parts)))
    return next((_degrees(number) for number in found if number is not None), None)


def _degrees(number: float) -> str | None:
    if 60 <= number <= 85:
        number = round((number - 32) / 1.8 * 2) / 2
    return f"{number:g} degrees" if 14 <= number <= 30 else None


def plain_value(detail: str, said: str) -> str:
    """A value as it was said, without articles and the words that only name its kind; spelled letters joined."""
    kept = _uncontracted(detail, words(said))
    names = {fold(example): example for example in BY_DETAIL[detail].examples}
    whole = fold(" ".join(kept))
    if whole in names:
        return names[whole]
    while len(kept) > 1 and kept[0] in _ARTICLES and detail not in ("favorite_artists_or_bands", "favorite_songs",
                                                                   "favorite_podcast_shows"):  # fmt: skip
        kept = kept[1:]
    bare = list(kept)
    while len(bare) > 1 and bare[-1] in _TAILS.get(detail, ()):
        bare = bare[:-1]
    short, full = " ".join(_joined(bare)), " ".join(_joined(kept))
    if detail in _NAMES:  # "radio" may be part of a station's name: dropped only where what is left is known
        return names.get(fold(short), names.get(fold(full), full))
    return names.get(fold(short), short)


def known(detail: str, value: str) -> bool:
    """Whether a value is one that its category has by itself, and not just any name."""
    if detail in KINDS or detail == "preferred_temperature":
        return plausible(detail, value)
    return value in BY_DETAIL[detail].examples or value in {said for _, said in SAID_AS.get(detail, ())}


def _uncontracted(detail: str, said: Sequence[str]) -> list[str]:
    """Words without the verb that is drawn to the last: of "reggae's the thing" it is "reggae", of "mcdonald's" itself."""
    *first, last = said or [""]
    bare = [*first, last.removesuffix("'s")]
    names = {fold(example) for example in BY_DETAIL[detail].examples}

    def has(parts: Sequence[str]) -> bool:
        kind = not KINDS.get(detail, frozenset()).isdisjoint(parts[-1:])
        return kind or fold(" ".join(parts)) in names or (len(parts) > 1 and parts[-1] in _TAILS.get(detail, ()))

    return bare if bare != list(said) and has(bare) and not has(list(said)) else list(said)


def fold(value: str) -> str:
    """A value for comparing: without articles, plural endings and spaces inside spelled letters."""
    kept = [word for word in _joined(list(words(value))) if word not in ("a", "an", "the")]
    return " ".join(_singular(word) for word in kept)


def _joined(parts: Sequence[str]) -> list[str]:
    """Spelled letters as one word: ``b b c`` -> ``bbc``."""
    joined: list[str] = []
    spelling = False
    for part in parts:
        letter = len(part) == 1 and part.isalpha() and not (part == "a" and not spelling)
        if letter and spelling:
            joined[-1] += part
        else:
            joined.append(part)
        spelling = letter
    return joined


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _by_pattern(patterns: Patterns, text: str) -> str | None:
    for pattern, value in patterns:
        match = re.search(pattern, text)
        if match:
            return match.expand(value) if "\\" in value else value
    return None


_NOT = re.compile(
    r"(?:n't|\bnot|\bno|\bnever|\bhate|\bdislike|\bstop|\bstopped|\bwithout|\bcannot|\bagainst|\bforget|\btoo|\bnobody|"
    r"\bnobody's|\bno longer|\bno more|\bavoid|\bskip|\bignore|\bexclude|\bdisable|\bturn off|"
    r"\brather\b.* than)\b ?(?:\w+(?:'\w+)? ){0,6}$"
)
_ENDED = re.compile(r"\b(?:any ?more|any longer|no longer|no more|stop|stopped)\b")


def _refused(matched: str, before: str, around: str, detail: str) -> bool:
    """Whether what was matched is refused by the words before it; that something has *ended* is not our question."""
    if re.search(r"n't\b|\bnot?\b|\bnever\b|\bnobody", matched) or not _NOT.search(before):
        return False
    return detail in _ANSWERS or _ENDED.search(around) is None
