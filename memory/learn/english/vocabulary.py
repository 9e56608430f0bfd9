"""The words for the values of closed categories: tables only, read by `memory.learn.english.canonical`.

Those of listed ones: `memory.learn.english.phrasings`.

Everything here was written for this project. English, in the normal form of ``models.text.normal``.
The canonical values are those of ``schemas.preferences`` and, where a category is open, of the project's phrase bank.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Patterns = tuple[tuple[str, str], ...]
"""Pattern over normal text -> canonical value; the first that matches counts."""


@dataclass(frozen=True, slots=True)
class Closed:
    """How the few values of a closed category are told apart."""

    patterns: Patterns
    examples: Mapping[str, tuple[str, ...]]
    """Canonical value -> sentences of our own that mean it, for the encoder."""
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


def _levels(low: str, high: str, examples: Mapping[str, tuple[str, ...]], middle: str = _MIDDLE) -> Closed:
    patterns = ((middle, "medium"), (rf"\b(?:low|lowest|minimum|level one|level 1|{low})\b", "low"),
                (rf"\b(?:high|highest|maximum|full|max|{high})\b", "high"))  # fmt: skip
    return Closed(patterns, examples, _FLIP_LEVEL)


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
        {
            "cheap": ("i want to spend little on a meal", "eating out must not cost much", "somewhere affordable"),
            "mid range": ("a fair price for dinner is fine, nothing extreme", "neither cheap nor dear restaurants"),
            "expensive": ("i like exclusive restaurants whatever they cost", "money does not matter for a good dinner"),
        },
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
        {
            "yes": ("i gladly pay more for green fuel", "clean fuel is worth the extra money to me"),
            "no": ("i will not pay more for green fuel", "ordinary petrol is good enough for me"),
        },
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
        {
            "always cheapest": ("only the very lowest fuel price will do", "i drive far to save on petrol"),
            "rather cheap": ("fuel should not be too dear but i make no fuss", "i watch the petrol price a little"),
            "price is irrelevant": ("what petrol costs is all the same to me", "i fill up without asking the price"),
        },
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
        {
            "local markets": ("i buy vegetables straight from the farmers", "i like the stalls on the market square"),
            "supermarket": ("i get all my food at once in a big store", "a supermarket is more practical for me"),
        },
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
        {
            "shortest time": ("get me there as quickly as you can", "only the minutes count when i drive"),
            "shortest distance": ("i want to drive as few kilometres as possible", "take the most direct way"),
        },
        {"shortest time": "shortest distance", "shortest distance": "shortest time"},
    ),
    "tolerance_for_traffic": Closed(
        (
            (
                (
                    r"\b(?:bit of|bit more|some|moderate|medium|average|little|reasonable|acceptable)\b|"
                    r"\bbut not too much\b|"
                    r"\blive with\b|\bput up with\b"
                ),
                "medium",
            ),
            (
                (
                    r"n't (?:really )?(?:bother|upset|mind|annoy|stress)|\bcalm\b|\brelaxed\b|\bpatient\b|"
                    r"\bhigh\b|\bused to rush|"
                    r"\bno problem\b|\bleaves me cold\b|\ball the patience\b"
                ),
                "high",
            ),
            (
                (
                    r"\bcan't stand\b|\bcannot (?:stand|bear)\b|\bno patience\b|\btoo much\b|\bboil|\banxious\b|"
                    r"\bcrazy\b|\btemper\b|\bhate\b|\bnerves\b|\bimpatient\b|\blow\b|\bstress|\bannoy|\bmad\b|"
                    r"\bavoid"
                ),
                "low",
            ),
        ),
        {
            "low": ("traffic jams make me furious", "i cannot bear standing in traffic"),
            "medium": ("a little traffic is all right as long as it moves", "i put up with some traffic"),
            "high": ("traffic leaves me cold, i stay relaxed", "jams are no trouble to me"),
        },
        _FLIP_LEVEL,
    ),
    "willingness_to_take_longer_route_to_avoid_traffic": Closed(
        (
            (
                (
                    r"\bno detours?\b|\bstay (?:on|in|put)\b|\bwait (?:in|it)\b|\bsit (?:in|it)\b|\bkeep me\b|"
                    r"\bsame route\b|"
                    r"\bstick (?:to|with)\b|\bstraight through\b|\bdo not change\b|\bnot worth\b"
                ),
                "no",
            ),
            (
                (
                    r"\banother way\b|\bbypass|\bdetours?\b|\blonger\b|\baround\b|\bround\b|\brerout|"
                    r"\bdifferent (?:way|route)|\balternative\b|\bextra\b|\byes\b"
                ),
                "yes",
            ),
        ),
        {
            "yes": ("i gladly drive further to get round a jam", "a detour is better than standing still"),
            "no": ("stay on the route even if there is a jam", "i would sooner wait in traffic than go round"),
        },
        FLIP_ANSWER,
    ),
    "price_sensitivity_for_paid_parking": Closed(
        (
            (
                (
                    r"n't (?:really )?(?:care|matter|mind what)|\birrelevant\b|\bwhatever\b|\bno object\b|"
                    r"\bcan cost anything\b|"
                    r"\bnever look|\ball the same\b|\bregardless\b|\bignore\b|\bnot interested\b|\bany price\b|"
                    r"\bfine with me\b"
                ),
                "price is irrelevant",
            ),
            (r"\bcheap|\bleast\b|\bpenny|\blowest\b|\bfree\b|\bnever pay more\b|\bfortune\b", "always the cheapest"),
            (
                (
                    r"\bconvenien|\bpay (?:a )?(?:bit|little)?|\bworth\b|\bcan cost\b|\bcloser\b|\bextra\b|"
                    r"\bhigher\b|\bdearer\b|\bhandy\b|\bcomfortabl|\baccept\b|\bsometimes\b"
                ),
                "will pay for convenience",
            ),
        ),
        {
            "always the cheapest": ("parking has to cost as little as possible", "i look for free parking every time"),
            "will pay for convenience": ("a handy parking place may cost something", "i pay more to park close by"),
            "price is irrelevant": ("the price of parking is all the same to me", "parking may cost what it likes"),
        },
    ),
    "distance_willing_to_walk_from_parking_to_destination": Closed(
        (
            (
                (
                    r"\b(?:doesn't|does not|don't|no) (?:really )?(?:matter|mind|care)|\bno matter\b|"
                    r"\bany distance\b|\banywhere\b|"
                    r"\bas far as\b|\bhowever far\b|\bexercise\b|\bwherever\b|\bfar (?:away|from)\b|\bfor miles\b|"
                    r"\ball the same\b"
                ),
                "distance does not matter",
            ),
            (
                (
                    r"\b(?:[1-5]|one|two|three|four|five|couple of|a few) (?:or \w+ )?minutes?\b|"
                    r"\bright (?:at|next|in front)|"
                    r"\bclose(?:st)? (?:as possible|to)|\bas close\b|\bentrance\b|\bdoor\b|\bin front\b|"
                    r"\bround the corner\b|\bhardly any\b|\bfew steps\b|\bless than (?:five|5)\b"
                ),
                "less than 5 minutes",
            ),
            (
                (
                    r"\b(?:[6-9]|10|six|seven|eight|nine|ten) (?:or \w+ )?minutes?\b|\bshort walk\b|\bblocks?\b|"
                    r"\blittle (?:walk|further)|"
                    r"\bmanageable\b|\bless than (?:ten|10)\b"
                ),
                "less than 10 minutes",
            ),
        ),
        {
            "less than 5 minutes": ("park right beside where i am going", "i can hardly walk from the car"),
            "less than 10 minutes": ("a short walk from the car is all right", "a few streets on foot are fine"),
            "distance does not matter": ("i walk any distance from the car", "park anywhere, i like to walk"),
        },
    ),
    "preference_for_covered_parking": Closed(
        (
            (
                (
                    r"\bindifferent\b|\ball the same\b|\buncovered\b|\bopen\b|\boutside\b|\bin the rain\b|"
                    r"\bwaste of money\b|\bunder the sky\b|"
                    r"\brain doesn't\b"
                ),
                "no",
            ),
            (
                (
                    r"\bcovered\b|\bcover\b|\broof|\bshelter|\bshade\b|\bindoors?\b|\bgarage|\binside\b|"
                    r"\bcanopy\b|\bunderground\b|\bover the top\b|"
                    r"\bout of the weather\b|\byes\b"
                ),
                "yes",
            ),
        ),
        {
            "yes": ("the car has to stand under a roof", "keep rain and sun off my car when it is parked"),
            "no": ("my car may stand out in the open", "no roof is needed over my car"),
        },
        FLIP_ANSWER,
    ),
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
        {"yes": ("i need a parking space for disabled drivers", "i use a wheelchair")},
    ),
    "preference_for_parking_with_security": Closed(
        (
            (
                (
                    r"\bindifferent\b|\ball the same\b|\bunguarded\b|\bnobody would steal\b|\bwithout (?:security|guard)|"
                    r"\bunwatched\b|"
                    r"\bextra cost\b|\bworry about theft\b"
                ),
                "no",
            ),
            (
                (
                    r"\bguard|\bcameras?\b|\bsecur|\bwatch|\battend|\bsafe|\bpatrol|\bsurveill|\bmonitor|\bcctv\b|"
                    r"\byes\b"
                ),
                "yes",
            ),
        ),
        {
            "yes": ("somebody has to watch over my parked car", "i want cameras where i park"),
            "no": ("my parked car needs no watching", "an unguarded place is fine"),
        },
        FLIP_ANSWER,
    ),
    "fan_speed_preferences": _levels(
        r"gentl\w+|gently|quiet|quietly|soft\w*|weak|light|lightly|slow\w*|breath|whisper|barely|(?:right|turned?) down|little",
        r"hard|strong\w*|lots|blast|powerful|full power|really blow|level (?:five|5)|fast|hurricane|turbo|wind|more air|"
        r"all the way up",
        {
            "low": ("a soft breath of air is enough", "the fan must be hardly heard"),
            "medium": ("the fan neither weak nor strong", "an ordinary stream of air"),
            "high": ("blow the air with all its strength", "i want a real wind in my face"),
        },
        rf"{_MIDDLE}|\blevel (?:three|3)\b",
    ),
    "seat_heating_preferences": _levels(
        r"slightly|a touch|touch of|little|a bit|chill off|lukewarm|barely|gentle|gently",
        r"hot|toasty|roast|really warm|level (?:three|3)|as warm as possible|boiling|very warm|all the way up|lots? of heat",
        {
            "low": ("the seat only just warm", "a little warmth in the seat"),
            "medium": ("the seat warm but not hot", "the seat heating halfway"),
            "high": ("the seat as hot as it gets", "i like to sit on a stove"),
        },
        rf"{_MIDDLE}|\blevel (?:two|2)\b|\bhalf heat\b|\bcomfortably\b",
    ),
    "interior_lighting_brightness_preferences": _levels(
        r"dim\w*|dark\w*|down|faint|subtle|soft\w*|subdued",
        r"bright\w*|well lit|lit up|lots of light|strong|see everything",
        {
            "low": ("hardly any light in the cabin", "keep it dark in here"),
            "medium": ("the cabin light neither bright nor dark", "half the brightness inside"),
            "high": ("as much light in the cabin as there is", "light it up like day in here"),
        },
        rf"{_MIDDLE}|\bmoderately\b",
    ),
    "interior_lighting_ambient_preferences": Closed(
        (
            (
                (
                    r"\bbluish light is\b|\bcandle|\bfire|\bcos(?:y|ily)|\bcozy|\bwarm|"
                    r"\byellowish(?! light makes)|\bold light bulb|\bgolden\b|\bsunset|\bhomely\b"
                ),
                "warm",
            ),
            (r"\bcool|\bcold|\bicy|\bfresh|\bcrisp|\bclinical|\bdaylight|\bbluish|\boffice\b|\bneutral\b", "cool"),
        ),
        {
            "warm": ("light as from a fireplace", "a golden, homely light"),
            "cool": ("light as white and clear as at noon", "a fresh bluish light"),
        },
        {"warm": "cool", "cool": "warm"},
    ),
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
    {
        "fast charging": ("no waiting at the charger, full power please", "charge as quickly as possible"),
        "dc": ("direct current chargers", "i look for dc plugs"),
        "ac": ("charging may take its time", "a slow plug is good enough"),
    },
    {"fast charging": "ac", "ac": "fast charging"},
)
CLOSED["preferred_type_of_charging_while_traveling"] = _CHARGING
CLOSED["preferred_type_of_charging_at_everyday_points"] = _CHARGING
