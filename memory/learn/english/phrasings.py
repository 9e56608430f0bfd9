"""Ways of saying the values of listed categories: tables only, read by `memory.learn.english.canonical`.

Everything here was written for this project. English, in the normal form of ``models.text.normal``.
"""

from __future__ import annotations

from memory.learn.english.vocabulary import Patterns

SAID_AS: dict[str, Patterns] = {
    "dietary_preference": (
        (r"\bvegan|\banimal\b|\bplant based", "vegan"),
        (r"\bpescatarian|\bfish but no meat", "pescatarian"),
        (r"\bvegetarian|\bmeatless|\bmeat\b", "vegetarian"),
        (r"\bgluten|\bceliac|\bcoeliac|\bwheat\b", "gluten free"),
        (r"\bhalal", "halal"),
        (r"\bpork\b", "pork free"),
        (r"\balcohol", "alcohol free"),
        (r"\bkosher", "kosher"),
        (r"\blactose|\bmilk\b", "lactose free"),
        (r"\bdairy", "dairy free"),
        (r"\bnut\b|\bnuts\b|\bpeanut", "nut free"),
        (r"\bshellfish|\bshrimp|\bseafood", "shellfish free"),
        (r"\bcarbs?\b", "low carb"),
        (r"\bsugar|\bdiabetic", "sugar free"),
    ),
    "preferred_payment_method": (
        (r"\bphone|\bwatch\b|\bapple pay|\bgoogle pay|\bmobile", "mobile"),
        (r"\bcards?\b|\bplastic\b|\bvisa\b|\bcredit|\bdebit|\btap\b", "card"),
        (r"\bcash|\bnotes\b|\bcoins\b|\breal money", "cash"),
    ),
    "preferred_restaurant_type": (
        (r"\bfine dining|\bupscale|\belegant|\btablecloth|\bfancy", "fine dining"),
        (r"\bcasual|\blaid back|\brelaxed|\bjeans", "casual"),
        (r"\bbuffet|\ball you can eat|\bhelp myself", "buffet"),
        (r"\bstreet food|\bfood trucks?|\bstall", "street food"),
        (r"\bdiners?\b", "diner"),
    ),
    "fast_food_preference": (
        (r"\bburger king\b", "burger king"),
        (r"\bburgers?\b|\bcheeseburger|\bhamburger", "burgers"),
        (r"\bpizzas?\b(?! hut)", "pizza"),
        (r"\bfried chicken|\bchicken wings", "fried chicken"),
        (r"\btacos?\b(?! bell)", "tacos"),
        (r"\bsandwich", "sandwiches"),
    ),
    "charging_station_onsite_amenities": (
        (r"\bcaf[eé]|\bcoffee", "cafe"),
        (r"\brestroom|\btoilet|\bbathroom|\bwashroom", "restroom"),
        (r"\bplayground|\bplay area", "playground"),
        (r"\bwi ?-? ?fi\b|\binternet", "wifi"),
    ),
    "avoidance_of_specific_road_types": (
        (r"\bhighway|\bmotorway|\bfreeway|\binterstate|\bautobahn", "highways"),
        (r"\btoll|\bpay for using a road|\broads that are free", "toll roads"),
        (r"\bunpaved|\bdirt road|\bgravel|\basphalt", "unpaved roads"),
        (r"\bferry|\bferries", "ferries"),
        (r"\btunnel", "tunnels"),
    ),
    "traffic_information_source_preferences": (
        (r"\bphone\b|\bsmartphone", "smartphone"),
        (r"\bapp\b|\bwaze|\bmaps\b", "navigation app"),
        (r"\bradio", "radio"),
        (r"\bin car|\bbuilt in|\bdashboard|\bcar's own|\bcar system|\bon ?board", "in car system"),
    ),
    "preferred_parking_type": (
        (r"\bpark and ride", "park and ride"),
        (r"\bvalet", "valet"),
        (r"\bgarage|\bmulti[ -]?stor|\bunderground|\bparking house|\bparking deck", "parking garage"),
        (r"\boff street|\blots?\b|\bcar parks?\b", "off street"),
        (r"\bon street|\bstreet\b|\bcurb|\bkerb|\bside of the road|\broadside", "on street"),
    ),
    "airflow_direction_preferences": (
        (r"\bface and (?:my )?feet|\bfeet and (?:my )?face|\btop and bottom", "face and feet"),
        (r"\bwindshield|\bwindscreen|\bfront window|\bglass\b", "windshield"),
        (r"\bfeet|\bfoot|\btoes|\bdown below|\blegs?\b|\bfloor\b", "feet"),
        (r"\bface|\bhead\b|\beyes\b|\bnose\b", "face"),
        (r"\bchest|\bupper body|\bcent(?:er|re|ral|ric)|\bmiddle", "chest"),
        (r"\b(knees?|shins?|ankles?|lap|hands?|arms?|neck|throat|shoulders?|stomach|belly|back|ears?)\b", r"\1"),
    ),
    "interior_lighting_color_preferences": (
        (r"\b(red|blue|green|purple|orange|white|yellow|pink|cyan|turquoise|violet|magenta|gold|teal)\b", r"\1"),
    ),
}
"""Ways of saying the values of listed categories; what no pattern matches stays as said."""
