"""What memories are about, in words: the tags that every vault has, and the rule by which tags grow.

The seeds are the sub categories of preferences and what people talk about in a car beside them. A new tag is made only by
rule: a content word that recurs often enough, in enough conversations, and is no seed already (`grown`). Pure; what has
grown is stored by `memory.store.conversations`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from models.text import words
from schemas.preferences import SUB_TITLES

MOST_TAGS = 3
"""Tags a memory has at most (CAIM's ontology tags, arXiv 2505.13044; the number is the issue's)."""

EVERYDAY: dict[str, tuple[str, ...]] = {
    "family": (
        "family", "wife", "husband", "partner", "mother", "father", "mum", "mom", "dad", "sister", "brother", "son",
        "daughter", "kid", "kids", "child", "children", "baby", "grandma", "grandpa", "aunt", "uncle", "cousin", "parents",
        "niece", "nephew", "wedding", "married",
    ),
    "friends": ("friend", "friends", "buddy", "neighbour", "neighbor", "roommate", "party", "invited", "guest", "guests"),
    "work": (
        "work", "job", "office", "meeting", "boss", "colleague", "colleagues", "project", "client", "deadline", "interview",
        "career", "company", "business", "salary", "promotion", "presentation", "conference",
    ),
    "learning": (
        "school", "university", "college", "class", "course", "exam", "study", "studying", "teacher", "lesson", "homework",
        "learn", "learning", "degree", "book", "books", "reading", "library",
    ),
    "health": (
        "doctor", "dentist", "hospital", "sick", "ill", "pain", "medicine", "therapy", "tired", "sleep", "stress", "stressed",
        "headache", "surgery", "nurse", "counseling", "counselor", "health",
    ),
    "sport": (
        "gym", "running", "football", "soccer", "basketball", "tennis", "swim", "swimming", "yoga", "hiking", "hike",
        "bike", "cycling", "match", "training", "marathon", "workout", "ski", "climbing", "race", "team", "game", "games",
    ),
    "free_time": (
        "movie", "film", "cinema", "theatre", "theater", "museum", "concert", "festival", "series", "hobby", "garden",
        "painting", "paint", "art", "camping", "beach", "dance", "dancing", "photo", "photography", "pottery",
    ),
    "travel": (
        "holiday", "vacation", "trip", "flight", "airport", "hotel", "travel", "travelling", "traveling", "train", "passport",
        "journey", "abroad", "luggage", "roadtrip",
    ),
    "home": ("home", "house", "flat", "apartment", "kitchen", "furniture", "rent", "moving", "moved", "repair", "cleaning"),
    "shopping": ("shop", "shopping", "groceries", "buy", "bought", "present", "gift", "shoes", "clothes", "delivery"),
    "food": ("dinner", "lunch", "breakfast", "cook", "cooking", "recipe", "restaurant", "coffee", "cake", "meal", "eat", "drink"),
    "pets": ("dog", "dogs", "cat", "cats", "puppy", "kitten", "pet", "pets", "vet", "horse"),
    "car": ("car", "tyre", "tire", "garage", "engine", "battery", "charging", "inspection", "insurance", "fuel"),
    "weather": ("weather", "rain", "snow", "sun", "sunny", "storm", "wind", "fog", "ice"),
    "money": ("money", "bank", "tax", "taxes", "bill", "bills", "loan", "pay", "paid", "expensive", "budget"),
    "feelings": (
        "happy", "sad", "angry", "worried", "afraid", "excited", "proud", "lonely", "nervous", "upset", "glad", "grateful",
        "hope", "scared", "anxious", "depressed",
    ),
    "plans": ("tomorrow", "plan", "plans", "planning", "appointment", "remind", "weekend", "schedule", "birthday", "anniversary"),
}  # fmt: skip
"""Everyday tags and the words that speak for them; our own list, in order of nothing."""

STOP = frozenset(
    """a about after again all also am an and any anything are aren't around as at away back be because been before being
    both but by can can't come could did didn't do does doesn't doing don't done down each else even ever every everything
    few find for from get getting give go goes going good got great had has have haven't having he her here hers hey hi him
    his how i i'd i'll i'm i've if in into is isn't it it's its just keep know last let let's like likes little long look
    lot made make many may maybe me might mine more most much must my near need never next nice no none not nothing now of
    off oh okay ok old on once one only or other our out over own people please put quite rather really right said same say
    see she should so some something soon sorry still such sure take tell than thank thanks that that's the their them then
    there these they thing things think this those though through time to today together told too two up us very want wants
    was wasn't way we we're well went were what what's when where which while who why will with won't would yeah yes yet you
    you'd you'll you're you've your yours able actually already always another bit day days feel felt first got heard hello
    help hear kind least less ling means minute minutes month months morning evening night week weeks year years new really
    start stop talk thought tonight try turn use used usually yesterday set play open close switch""".split()
)
"""Words that say nothing about what a text is about; they never become tags and never ground a text."""

RECURS = 5
"""Episodes in which a word has to be to become a tag. This and the following: our choices."""
CONVERSATIONS = 3
"""Conversations in which it has to be."""
MOST_GROWN = 64
"""Grown tags a vault has at most; the most frequent stay."""
SHORTEST = 4
"""Letters of a word that can become a tag."""


def title(tag: str) -> str:
    """A tag as it is said."""
    return SUB_TITLES.get(tag, tag.replace("_", " ")).lower()


SEEDS: tuple[str, ...] = (*SUB_TITLES, *EVERYDAY)
"""Tags that every vault has."""

_BY_WORD: dict[str, str] = {word: tag for tag, spoken in EVERYDAY.items() for word in spoken}


def content(text: str) -> tuple[str, ...]:
    """The words of a text that say what it is about, in order; a possessive's ``'s`` is left out."""
    found = (word.removesuffix("'s") for word in words(text))
    return tuple(word for word in found if word not in STOP and len(word) > 1)


def tags(text: str, subs: Iterable[str] = (), grown: Collection[str] = ()) -> tuple[str, ...]:
    """At most `MOST_TAGS` tags of a text: sub categories first, then grown tags, then everyday ones by how often they are named.

    Args:
        text: what was said.
        subs: sub keys of preference categories that it is about, the surest first.
        grown: tags that grew in this vault.
    """
    said = content(text)
    named = Counter(_BY_WORD[word] for word in said if word in _BY_WORD)
    everyday = sorted(named, key=lambda tag: -named[tag])
    own = [word for word in dict.fromkeys(said) if word in grown]
    return tuple(dict.fromkeys((*subs, *own, *everyday)))[:MOST_TAGS]


def recurring(said: Sequence[tuple[str, str]], known: Collection[str] = ()) -> tuple[str, ...]:
    """Words that have become tags, the most frequent first.

    Args:
        said: conversation and text of every episode.
        known: tags that have grown before and are not counted again.
    """
    episodes: Counter[str] = Counter()
    talks: dict[str, set[str]] = {}
    for conversation, text in said:
        for word in set(content(text)):
            episodes[word] += 1
            talks.setdefault(word, set()).add(conversation)
    able = [
        word for word, count in episodes.items()
        if count >= RECURS and len(talks[word]) >= CONVERSATIONS
        and len(word) >= SHORTEST and word.isalpha()
        and word not in known and word not in SEEDS and word not in _BY_WORD
    ]  # fmt: skip
    able.sort(key=lambda word: (-episodes[word], word))
    return tuple(able[: max(0, MOST_GROWN - len(known))])
