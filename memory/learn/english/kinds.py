"""Words that every value of some categories is made of: cuisines, diets, genres, colours.

Names of shops and artists may be anything; a cuisine may not. What is none of these was probably misread ("natural healthy" is
no diet), so it is asked about instead of being stored. General knowledge, written for this project; a value that is missing here
costs a question.
"""

from __future__ import annotations

import re

from memory.learn.english.clauses import AND
from models.text import words

_CUISINES = (
    "italian thai mexican greek japanese indian chinese french spanish korean vietnamese turkish lebanese ethiopian german "
    "american mediterranean moroccan brazilian portuguese caribbean persian iranian cajun polish peruvian filipino indonesian "
    "malaysian nepalese afghan pakistani lankan cantonese sichuan szechuan hungarian russian ukrainian georgian austrian "
    "bavarian swiss swedish scandinavian nordic danish norwegian finnish british english scottish irish cuban jamaican "
    "argentinian argentine colombian chilean mex creole southern hawaiian nigerian african egyptian tunisian syrian israeli "
    "eastern balkan croatian serbian sicilian tuscan neapolitan basque catalan burmese mongolian asian fusion punjabi "
    "taiwanese singaporean tibetan uzbek armenian arabic arab iraqi kurdish yemeni jewish kosher dutch belgian czech slovak "
    "romanian bulgarian lithuanian european latin venezuelan ecuadorian bolivian salvadoran texan texas californian canadian "
    "australian kenyan somali ghanaian senegalese vegan vegetarian seafood sushi ramen pho dumplings noodles noodle curry "
    "curries pasta pizza tapas paella tacos burritos kebab falafel hummus dim barbecue bbq steak steaks fish meze"
)
_DIETS = (
    "vegetarian veggie veggies vegan vegetables halal kosher pescatarian organic keto ketogenic paleo raw macrobiotic wholefood "
    "jain hindu flexitarian fodmap gluten wheat celiac coeliac lactose dairy milk cheese cream nut nuts peanut peanuts almonds "
    "hazelnuts egg eggs shellfish seafood shrimp shrimps prawns fish meat pork beef lamb bacon ham soy sesame corn mustard celery "
    "onion onions garlic sugar sugary sweet carb carbs carbohydrates salt sodium fat fats fatty calorie calories cholesterol "
    "histamine protein purine yeast grain grains fructose additive additives alcohol caffeine diabetic diabetes allergen allergy "
    "allergic allergies intolerant intolerance free plant salads salad spicy fried"
)
_GENRES = (
    "jazz rock pop classical classic country electronic electro hip hop metal blues reggae folk soul techno house opera indie "
    "punk r&b rnb r latin salsa gospel lo lofi bluegrass k disco funk swing ambient musicals musical rap schlager trance drum bass "
    "dubstep grunge ska synthwave synth flamenco celtic bossa samba afrobeats afrobeat dancehall tango polka chillout chill "
    "acoustic oldies sixties seventies eighties nineties 60s 70s 80s 90s scores soundtracks soundtrack baroque americana "
    "alternative prog progressive band bands worship christian songwriter trip choral choir bollywood shanties piano guitar "
    "instrumental orchestral symphony symphonies symphonic edm dance lounge motown mariachi merengue bachata cumbia reggaeton "
    "fado chanson chansons klezmer world emo hardcore garage trap drill new age easy listening romantic love ballads ballad "
    "hits charts top golden christmas children's kids nursery"
)
_PODCASTS = (
    "crime crimes history comedy funny humor humour humorous technology tech science scientific business sport sports "
    "politics political health healthy wellness storytelling stories story improvement philosophy finance financial money "
    "travel traveling travelling gardening film films movie movies cinema language languages horror scary parenting fantasy "
    "fiction nature psychology cooking economics economy estate relationships mental education educational medicine medical "
    "mythology astronomy investing investment startups startup football soccer baseball basketball tennis racing cars food "
    "books literature religion spirituality faith affairs events news current world interview interviews gossip celebrities "
    "celebrity culture gaming games art arts artistic design architecture music wildlife animals climate environment "
    "environmental drama dramas mystery mysteries paranormal conspiracy marketing leadership mindfulness meditation fitness "
    "nutrition military ancient space intelligence ai law legal linguistics sailing cases murders murder maritime chess "
    "beekeeping dating fashion entertainment growth personal society social discoveries inventions research physics biology "
    "chemistry engineering programming gadgets computers coding lifestyle motivation motivational career work family kids "
    "children war wars pop true crypto"
)
_COLORS = (
    "red blue green purple orange white yellow pink cyan turquoise violet gold golden amber magenta teal lime mint olive emerald "
    "navy indigo lavender lilac plum burgundy crimson ruby scarlet cherry coral salmon peach apricot copper bronze silver rose "
    "fuchsia aqua aquamarine petrol lemon ivory cobalt mauve tangerine black grey gray brown beige cream maroon bluish reddish "
    "greenish rainbow sapphire jade"
)
KINDS: dict[str, frozenset[str]] = {
    "favourite_cuisine": frozenset(_CUISINES.split()),
    "dietary_preference": frozenset(_DIETS.split()),
    "favorite_genres": frozenset(_GENRES.split()),
    "favorite_podcast_genres": frozenset(_PODCASTS.split()),
    "interior_lighting_color_preferences": frozenset(_COLORS.split()),
}
"""Detail key -> words of which at least one is in every value."""


LISTED = frozenset(
    "favourite_cuisine preferred_restaurant_type fast_food_preference dietary_preference preferred_gas_station "
    "preferred_charging_network charging_station_onsite_amenities preferred_supermarket_chain avoidance_of_specific_road_types "
    "interior_lighting_color_preferences favorite_genres favorite_podcast_genres".split()
)
"""Categories in whose values "and" stands between two of them; a band or a show may have it in its name."""
BETWEEN = re.compile(rf"\s*,\s*(?:and |or )?|{AND}\s+|\s+(?:or|as well as)\s+")
"""What stands between two values."""


def split(detail: str, said: str) -> list[str]:
    """The values that words name together ("italian and thai"), where each of them is known to be one; else the words."""
    parts = [part for part in BETWEEN.split(said) if words(part)]
    known = KINDS.get(detail)
    if known is None or detail not in LISTED or not all(plausible(detail, part) for part in parts):
        return [said]
    return parts or [said]


_NOTHING = re.compile(
    r"(?:only |just |up )*(?:to|at|on|in|for|from|by) (?:\w+ )?(?:\d|percent|degrees)|"
    r"(?:tbh|lol|ngl|imo|btw|haha|though|yeah|honestly|anyway|innit)$"
)
"""Words that name nothing, whatever the category."""
_AMOUNT = re.compile(r"[\w.]+ (?:percent|degrees)$")
"""What names no place or kind of thing."""


def plausible(detail: str, value: str) -> bool:
    """Whether a value may be one of its category; of categories without a list here, anything may."""
    known = KINDS.get(detail)
    if detail in LISTED and _AMOUNT.match(value) is not None:
        return False
    return _NOTHING.match(value) is None and (known is None or not known.isdisjoint(words(value)))
