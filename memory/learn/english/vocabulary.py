"""The words for the values of closed categories: tables only, read by `memory.learn.english.canonical`.

Those of listed ones: `memory.learn.english.phrasings`.

Everything here was written for this project. English, in the normal form of ``models.text.normal``.
The canonical values are those of ``schemas.preferences`` and, where a category is open, of the project's phrase bank.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Patterns = tuple[tuple[str, str], ...]
"""Pattern over normal text -> canonical value; the first that matches counts.

Only categories have any whose decisions on CarMem's development half get worse without (docs/log.md, the polarity sentences):
of the others the encoder's choice is as good alone."""


@dataclass(frozen=True, slots=True)
class Closed:
    """How the few values of a closed category are told apart."""

    patterns: Patterns
    values: tuple[str, ...]
    """The canonical ones."""
    flips: Mapping[str, str] | None = None
    """Canonical value -> what refusing it means ("i don't like a strong fan" is ``low``)."""


_FLIP_LEVEL = {"low": "high", "high": "low"}
FLIP_ANSWER = {"yes": "no", "no": "yes"}

_MIDDLE = (
    r"\bnot too \w+ (?:and |but |or )?not too\b|\bnot too \w+ (?:but|and) not\b|\bneither\b|\bin the middle\b|"
    r"\bmedium\b|"
    r"\bmoderate|\bmiddle\b|\bnormal\b|\baverage\b|\bhalf ?way\b|\bfifty percent\b|\bhalf\b|"
    r"\bbut not (?:too |so )?(?:hot|much|strong)|"
    r"\bnot (?:a )?\w+ not (?:a )?\w+"
)


CLOSED: dict[str, Closed] = {
    "desired_price_range": Closed(
        (
            (
                (
                    r"\bneither\b|\bnot too (?:cheap|expensive|pricey) (?:and |but |or )?not\b|\bmid\b|\bmiddle\b|\bmoderate|"
                    r"\breasonabl|"
                    r"\baverage\b|\bmedium\b|\bnormal\b"
                ),
                "mid range",
            ),
            (
                (
                    r"\bcheap|\binexpensive\b|\bbudget\b|\blow cost\b|\baffordable\b|\blittle money\b|"
                    r"\bfor less\b|\bbargain|"
                    r"\beasy on the wallet\b|\blow prices?\b|\bnever pay more\b"
                ),
                "cheap",
            ),
            (
                (
                    r"\bexpensive\b|\bhigh end\b|\bpric(?:e)?y\b|\bpriciest\b|\bluxur|\bupscale\b|\bexclusive\b|"
                    r"\bsplurge|"
                    r"\bmoney is no object\b|\bno object\b|\bpaying a lot\b|\bserious money\b|\bbig bill\b|\bfancy\b|"
                    r"\bspend(?:ing)? (?:too )?much|\bcosts? (?:a lot|much)"
                ),
                "expensive",
            ),
        ),
        ("cheap", "mid range", "expensive"),
        {"cheap": "expensive", "expensive": "cheap"},
    ),
    "willingness_to_pay_extra_for_green_fuel": Closed(
        (
            (
                (
                    r"\bnormal (?:fuel|stuff|petrol|kind)|\bregular\b|\bordinary\b|\brip off\b|"
                    r"\bnot if it costs\b|\bno thank|\btoo dear\b|"
                    r"\brefuse\b|\bcan't afford\b|\bno premium\b"
                ),
                "no",
            ),
            (
                (
                    r"\bpay|\bspend|\bhigher price\b|\bdearer\b|\bworth\b|\balways (?:choose|take|buy)\b|"
                    r"\bextra\b|\bmore\b|\byes\b"
                ),
                "yes",
            ),
        ),
        ("yes", "no"),
        FLIP_ANSWER,
    ),
    "price_sensitivity_for_fuel": Closed(
        (
            (
                (
                    r"n't (?:really )?(?:care|matter|look|mind)|\bnever look|\birrelevant\b|\bno difference\b|"
                    r"\bno matter what|"
                    r"\bwhatever it costs\b|\bno object\b|\bcan cost anything\b|\bcareless\b|\ball the same\b|"
                    r"\bregardless\b|\bany price\b|"
                    r"\bwho cares\b|\bnot interested\b|\bignore\b"
                ),
                "price is irrelevant",
            ),
            (
                (
                    r"\b(?:rather|fairly|quite|a bit|relatively) cheap|\bcheaper\b|\breasonabl|\bkeep an eye\b|"
                    r"\bcheap side\b|"
                    r"\bnot (?:the very|too) "
                ),
                "rather cheap",
            ),
            (
                (
                    r"\bcheapest\b|\blowest\b|\bbest price\b|\bmost cheap\b|\bnever pay more\b|"
                    r"\bevery (?:cent|penny)\b|\bcompare prices\b|\bsave (?:two|a few) cents\b"
                ),
                "always cheapest",
            ),
            (r"\bcheap\b|\binexpensive\b|\baffordable\b", "rather cheap"),
        ),
        ("always cheapest", "rather cheap", "price is irrelevant"),
    ),
    "preference_for_local_markets_farms_or_supermarket": Closed(
        (
            (
                (
                    r"\brather than (?:the |a )?supermarket|\bover (?:the )?supermarket|"
                    r"\binstead of (?:the )?supermarket"
                ),
                "local markets",
            ),
            (
                (
                    r"\beverything under one roof\b|\bone roof\b|\bone go\b|\bno markets\b|"
                    r"\bmarkets are (?:too|over)|\b(?:normal|big) supermarket"
                ),
                "supermarket",
            ),
            (r"\bfarm|\bmarkets?\b|\blocal\b|\bgrowers?\b|\bproducers?\b|\borchard", "local markets"),
            (r"\bsupermarket|\bone roof\b|\bgrocery stores?\b", "supermarket"),
        ),
        ("local markets", "supermarket"),
        {"local markets": "supermarket", "supermarket": "local markets"},
    ),
    "priority_for_shortest_time_or_shortest_distance": Closed(
        (
            (
                (
                    r"\b(?:shortest|short|less|least|fewer|fewest|few) (?:distance|route|way|kilomet\w+|miles)|"
                    r"\bshortest\b(?! time)|\bdirect\b|"
                    r"\bmileage\b|\bfewer\b|\bdistance\b"
                ),
                "shortest distance",
            ),
            (
                r"\bfast|\bquick|\bsave time\b|\btime\b|\bsoon\b|\bminutes\b|\bhurry\b|\bspeed|\bearly\b",
                "shortest time",
            ),
        ),
        ("shortest time", "shortest distance"),
        {"shortest time": "shortest distance", "shortest distance": "shortest time"},
    ),
    "tolerance_for_traffic": Closed((), ("low", "medium", "high"), _FLIP_LEVEL),
    "willingness_to_take_longer_route_to_avoid_traffic": Closed((), ("yes", "no"), FLIP_ANSWER),
    "price_sensitivity_for_paid_parking": Closed(
        (), ("always the cheapest", "will pay for convenience", "price is irrelevant")
    ),
    "distance_willing_to_walk_from_parking_to_destination": Closed(
        (), ("less than 5 minutes", "less than 10 minutes", "distance does not matter")
    ),
    "preference_for_covered_parking": Closed((), ("yes", "no"), FLIP_ANSWER),
    "need_for_handicapped_accessible_parking": Closed(
        (
            (
                (
                    r"\bhandicap|\bdisab|\baccessib|\bwheelchair|\bbadge\b|\bwide\b|\byes\b|\bcrutch|"
                    r"\bbarrier free\b|\bpermit\b|"
                    r"\bcan't walk"
                ),
                "yes",
            ),
        ),
        ("yes",),
    ),
    "preference_for_parking_with_security": Closed((), ("yes", "no"), FLIP_ANSWER),
    "fan_speed_preferences": Closed((), ("low", "medium", "high"), _FLIP_LEVEL),
    "seat_heating_preferences": Closed((), ("low", "medium", "high"), _FLIP_LEVEL),
    "interior_lighting_brightness_preferences": Closed(
        (
            (rf"{_MIDDLE}|\bmoderately\b", "medium"),
            (r"\b(?:low|lowest|minimum|level one|level 1|dim\w*|dark\w*|down|faint|subtle|soft\w*|subdued)\b", "low"),
            (
                r"\b(?:high|highest|maximum|full|max|bright\w*|well lit|lit up|lots of light|strong|see everything)\b",
                "high",
            ),
        ),
        ("low", "medium", "high"),
        _FLIP_LEVEL,
    ),
    "interior_lighting_ambient_preferences": Closed((), ("warm", "cool"), {"warm": "cool", "cool": "warm"}),
}
"""Categories whose value is one of a fixed few."""

_SPEED: Patterns = (
    (
        (
            r"\bfast\b|\bfaster\b|\bfastest\b|\bquick|\brapid|\bh ?p ?c\b|\bhigh[- ]p(?:ower|erformance)|\bultra|"
            r"\btwenty minutes|\bfifteen minutes"
        ),
        "fast charging",
    ),
    (r"\bd ?c\b|\bdirect current\b", "dc"),
    (r"\ba ?c\b|\bslow|\bgent|\bovernight\b|\bnormal\b|\balternating\b", "ac"),
)
_CHARGING = Closed(
    _SPEED,
    ("fast charging", "dc", "ac"),
    {"fast charging": "ac", "ac": "fast charging"},
)
CLOSED["preferred_type_of_charging_while_traveling"] = _CHARGING
CLOSED["preferred_type_of_charging_at_everyday_points"] = _CHARGING
