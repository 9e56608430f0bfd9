"""Names that nobody has heard, made up the way such names are made, and things that are in no category.

New shops, stations and artists come up all the time, so the words around a name, and the kind of words that it is made of,
must tell its category. All parts were chosen for this project.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

COINS = (
    "amber anchor apple arc ash autumn badger bay beacon birch blue bolt bridge bright brook cedar cherry circle city "
    "clear cloud coast copper corner crown crystal daily delta dove dream eagle echo elm ember evening falcon fern fire "
    "first flash forest fox garden glass gold grand green grove harbor hawk hill honey house iron island ivy jade jet "
    "king lake lantern leaf light lily lion lunar maple market meadow metro mint moon morning mountain neon night north "
    "nova oak ocean old olive orbit owl paper peak pearl pine planet prime pulse quick rain raven red ridge river road "
    "rocket rose royal ruby sand silver sky snow solar south spark spring star stone storm summit sun swift thunder "
    "tiger tower trail union valley velvet village violet vista voice wave west white wild willow wind winter wolf"
).split()
"""Ordinary words that names of any kind are made of."""

KINDS: Mapping[str, tuple[str, str]] = {
    "fast_food_preference": (
        "burger taco pizza chicken wrap grill fry noodle wing bun sub kebab snack crispy hot mama big cheese rib hungry",
        "king hut shack express barn stop house bros corner boys palace wagon point kitchen joint factory town",
    ),
    "preferred_gas_station": (
        "petro fuel gas oil energy star sun road drive tank mobil terra nord rapid benzo octane euro trans arrow",
        "co max plus stop point line express oil energy gas petrol fuels way king station",
    ),
    "preferred_charging_network": (
        "volt charge amp watt plug electro grid current ion power joule e spark juice battery lightning green ohm",
        "way hub point park net go up works line ly port spot energy charging power network",
    ),
    "preferred_supermarket_chain": (
        "fresh green farm food family daily budget basket corner harvest value pantry nature smart country home garden",
        "mart foods store land king way market grocers shop super value save express town world",
    ),
    "favorite_artists_or_bands": (
        "lena oscar ella felix ruby mara johnny clara leo stella violet max nina jasper dj lady the the the young",
        (
            "lanterns monroe foxes rivers lane wolves stone hayes sparrows "
            "parade blackwood vega orchestra kings harlow echoes brothers"
        ),
    ),
    "favorite_songs": (
        "dancing midnight broken golden running falling electric lonely summer paper crazy dear burning sweet hello goodbye",
        (
            "in the rain|on the moon|hearts|train|with you|"
            "tonight|road|without a sound|sky|letters|again|of mine|fire|in july|memories"
        ),
    ),
    "preferred_music_streaming_service": (
        "tune beat sound music melody audio play song note vinyl jam track loud bass chord hum",
        "ify box wave cloud ly stream zone base deck now plus go port loft tree",
    ),
    "preferred_radio_station": (
        "radio city coast rock kiss power hit classic jazz local magic planet fresh star wave metro sunny retro",
        "fm|radio|one|ninety nine|one hundred and one|ninety eight point five|eighty eight point three|two|live|gold|county|am",
    ),
    "favorite_podcast_shows": (
        (
            "tech science history crime health comedy business mind sports story money "
            "nature movie space travel true hidden food laugh"
        ),
        (
            "talk hour weekly lab cast today files matters tales insider "
            "daily bites unlocked minutes stories hub uncovered show and beyond"
        ),
    ),
    "general_news_source": (
        "daily world morning global national city evening capital public independent northern sunday first people's business",
        "post times tribune wire report journal herald gazette chronicle observer network bulletin dispatch news now brief",
    ),
}
"""Detail key -> first parts and last parts of such names (parts of several words are divided by bars)."""

FUSED_SHARE = 0.4
"""Names whose two parts are one word."""
PLAIN_SHARE = 0.35
"""Names that are made of ordinary words only."""

OUTSIDE = (
    "my job|gardening|this movie|your voice|my new phone|swimming|mondays|winter|my boss|football|chess|that dress|reading|"
    "my grandmother|horror films|the smell of rain|long walks|spiders|exams|cooking at home|my old school|snow|dogs|cats|"
    "red shoes|this jacket|the colour of your eyes|fishing|skiing|my neighbours|babies|flying|homework|the beach|crosswords|"
    "yoga|weddings|surprises|my english teacher|learning french|early mornings|sunsets|camping|board games|the army|hospitals|"
    "paperwork|mathematics|my sister's paintings|tea in bed|fresh sheets|roses|big cities|small villages|the mountains|"
    "silence|video games|basketball|tennis|dancing with my wife|knitting|shopping for clothes|blind dates|old photographs|"
    "science fiction novels|poetry|this hotel|our new flat|the office|meetings|my colleagues|the interview|that lecture|"
    "perfume|jewellery|beards|tattoos|short hair|high heels|politics|elections|politicians|lawyers|doctors|dentists|needles|"
    "the gym|running|vitamins|cold showers|the sauna|massages|christmas|birthdays|halloween|fireworks|museums|theatre plays|"
    "statues|antiques|stamps|coins|trains|aeroplanes|sailing|motorbikes|this car|your jokes|the weather here|hot summers|"
    "the sea|horses|birds|butterflies|mosquitoes|elephants|my dog|our cat|children|teenagers|old people|honest people|liars|"
    "rude waiters|good manners|presents|money|my salary|working from home|overtime|the night shift|holidays|travelling alone|"
    "package tours|suitcases|airports|my passport|the moon|stars|the future|the past|my childhood|our honeymoon|romance|"
    "love letters|soap operas|talk shows on television|cartoons|documentaries on television|comics|magazines about fashion|"
    "computers|robots|the internet|emails|passwords|telephone calls|lifts|stairs|heights|the dark|thunder|ghosts|magic tricks|"
    "circus clowns|painting|drawing|photography|pottery|carpentry|ironing|washing up|vacuuming|baking cakes at home|gossip"
).split("|")
"""What people like and hate that is in no category of ours."""
OPINIONS = (
    "i love {}|i really love {}|i like {}|i don't like {}|i hate {}|i can't stand {}|i'm a big fan of {}|i'm crazy about {}|"
    "i prefer {}|i've always liked {}|{} is my favourite|{} are the best|i enjoy {} so much|i'm not into {}|i adore {}|"
    "there's nothing better than {}|i'm tired of {}|i used to like {}|i've never liked {}|do you like {}|"
    "i couldn't live without {}|"
    "i'm fond of {}|i've had enough of {}|what do you think of {}|i'm so into {} these days|honestly {} drives me mad|"
    "i always dream about {}|i usually avoid {}|i'd rather talk about {}|to me {} means everything|i never cared much for {}|"
    "i miss {}|{} makes me happy|{} makes me nervous|i'm afraid of {}|i'm interested in {}|let's talk about {}|"
    "i think {} is wonderful|everybody loves {}|my wife loves {}|you seem to like {}|i wish i had more time for {}|"
    "oh i simply love {} don't you|well i'm not really keen on {}|i've been thinking about {} all day|{} is not my thing|"
    "i need {} in my life|give me {} any day|i spend every weekend with {}|nothing beats {}"
).split("|")
"""Ways of saying so."""

LIKINGS = (
    "i love {}|i really love {}|i like {}|i'm a big fan of {}|i'm crazy about {}|i prefer {}|i've always liked {}|"
    "{} is my favourite|i enjoy {} so much|i adore {}|there's nothing better than {}|i'm fond of {}|"
    "i couldn't live without {}|give me {} any day|nothing beats {}|these days i prefer {}|i prefer {} these days|"
    "actually i prefer {}|i'm really into {}|my favourite is {}|oh i simply love {} don't you|{} makes me happy|"
    "i love {} more than anything|{} is what i like|i just love {}|i do like {}|i like {} best|i've grown to love {}"
).split("|")
"""The same of what a category does hold: only the thing tells that it is one."""
THINGS: Mapping[str, tuple[str, ...]] = {
    "favourite_cuisine": ("{} food", "{} food", "{} cooking", "{} restaurants", "{}"),
    "fast_food_preference": ("{}",),
    "preferred_restaurant_type": ("{}",),
    "favorite_genres": ("{}", "{}", "{} music", "{} songs"),
    "favorite_artists_or_bands": ("{}", "the songs of {}", "{}'s music"),
    "favorite_podcast_genres": ("{} podcasts", "podcasts about {}"),
    "preferred_temperature": ("{}",),
    "interior_lighting_color_preferences": ("{} light in the car", "{} ambient light"),
    "preferred_supermarket_chain": ("shopping at {}",),
    "preferred_gas_station": ("filling up at {}",),
    "preferred_charging_network": ("charging at {}",),
    "preferred_radio_station": ("listening to {} on the radio",),
}
"""Detail key -> how its values are named in such a sentence."""

PLAINLY: Mapping[str, tuple[str, ...]] = {
    "dietary_preference": (
        "i'm {}",
        "i am {}",
        "i eat {}",
        "we're {}",
        "i only eat {}",
        "i'm strictly {}",
        "i have to eat {}",
    ),
    "preferred_payment_method": ("i pay {}", "i always pay {}"),
    "interior_lighting_color_preferences": ("i like {} lights", "i like the lights {}", "{} lights for me"),
    "preferred_temperature": (
        "i like {}",
        "i like it at {}",
        "{} for me",
        "my temperature is {}",
        "i want {} in here always",
    ),
    "avoidance_of_specific_road_types": ("i hate {}", "i avoid {}", "no {} for me", "i don't like {}"),
    "favorite_genres": ("i love {}", "i like {}", "i'm into {}", "i listen to {}"),
    "favorite_artists_or_bands": ("i love {}", "i like {}", "i listen to {}"),
    "favourite_cuisine": ("i love {} food", "i like {} food", "i like {}", "i love {}"),
}
"""Detail key -> the fewest words in which its values are told."""


def coin(rng: Random, detail: str) -> str:
    """A new name for a value of this category."""
    if detail not in KINDS or rng.random() < PLAIN_SHARE:
        name = " ".join(rng.sample(COINS, rng.choice((1, 2, 2, 2, 3))))
        return name.replace(" ", "", 1) if rng.random() < FUSED_SHARE else name
    heads, tails = KINDS[detail]
    first = rng.choice(heads.split() if rng.random() < 0.75 else COINS)
    last = rng.choice(tails.split("|" if "|" in tails else None))
    if rng.random() < 0.2:
        last = f"{rng.choice(COINS)} {last}"
    gap = "" if rng.random() < FUSED_SHARE and detail not in ("favorite_songs", "favorite_artists_or_bands") else " "
    return f"{first}{gap}{last}"


def liking(rng: Random, detail: str, said: str) -> str:
    """An opinion on a value of a category of `THINGS`."""
    return rng.choice(LIKINGS).format(rng.choice(THINGS[detail]).format(said))


def outside(rng: Random) -> str:
    """An opinion on something that is in no category."""
    return rng.choice(OPINIONS).format(rng.choice(OUTSIDE))
