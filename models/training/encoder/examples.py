"""Labelled sentences for the encoder's heads, made from the phrase bank.

An example may teach any of three things: which category it is about (``details``), whether it reveals a preference at
all (``reveals``), what it asks the car for (``request``); what it does not teach is left open.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

from models.training import conversations as talk
from models.training import phrases
from schemas.actions import ACTIONS
from schemas.preferences import BY_DETAIL, CATEGORIES

NONE = "none"
DETAILS: tuple[str, ...] = tuple(category.detail for category in CATEGORIES)
REQUESTS: tuple[str, ...] = (*(action.name for action in ACTIONS), NONE)

DECLARES = re.compile(
    r"((well|oh|um|uh|hey|honestly|so|actually|hm|to be honest) )?(i|i'm|i've|my|we|for me|the|nothing|no other) .*"
)
ASKS = re.compile(
    r"\b(find|show|take me|put|play|set|make|keep|let|look for|turn|switch|give|can|could|can't we|should|need|want|"
    r"please|point|aim|is there|are there|where|search|avoid|stop|open|start|go|choose|use|send|park|stick|only|"
    r"too|freez\w+|sweat\w*|cold|hot|dark|bright|stuffy)\b"
)
OTHERS = (
    "my sister", "my boss", "peter", "my wife", "my husband", "our neighbour", "she", "he", "my mother", "anna",
    "my colleague", "the guy next door", "my best friend", "grandpa", "my son", "everybody at work",
)  # fmt: skip
THIRD_PERSON = {
    "i love": "loves", "i like": "likes", "i prefer": "prefers", "i hate": "hates", "i trust": "trusts",
    "i use": "uses", "i listen": "listens", "i want": "wants", "i need": "needs", "i get": "gets", "i always": "always",
    "i usually": "usually", "i only": "only", "i never": "never", "i enjoy": "enjoys", "i don't": "doesn't",
    "i'm": "is", "i've": "has", "i can't": "can't", "i can": "can", "i stream": "streams", "i charge": "charges",
    "i follow": "follows", "i pay": "pays",
}  # fmt: skip
FRAMES = (
    "can you {}", "could you {}", "could you please {}", "would you {}", "i want you to {}", "i'd like you to {}",
    "please {}", "{} for me", "{} now", "go ahead and {}", "will you {}", "{} again", "hey car {}",
)  # fmt: skip
ORDERS = re.compile(
    r"(turn|switch|set|put|make|open|close|shut|play|start|stop|find|take|show|give|change|increase|decrease|lower|raise|"
    r"lock|unlock|fold|unfold|skip|pause|mute|unmute|navigate|drive|cancel|add|avoid|warm|cool|heat|blow|direct|point|aim|"
    r"move|slide|roll|dim|brighten|tell|check|defrost|clear|tune|look|get|let|bring|choose|use|go)\b.*"
)
JOINED_SHARE = 8
"""Percent of all examples that are a statement with a request or some talk before or after it."""
FRAMED_SHARE = 0.25
"""Orders that are put more politely, or more at length."""
ONCE = ("just this once", "only for today", "today only", "just for now", "exceptionally", "this one time", "for once")
DIGITS = {talk.spoken_number(n): str(n) for n in range(100, 9, -1)}


NAMED = (
    "preferred_gas_station", "preferred_charging_network", "preferred_supermarket_chain", "favorite_artists_or_bands",
    "favorite_songs", "preferred_music_streaming_service", "preferred_radio_station", "favorite_podcast_shows",
    "general_news_source",
)  # fmt: skip
"""Categories whose values are names: new ones come up all the time, so the words around must tell the category."""
COINED_SHARE = 0.35
"""Statements of these whose name is replaced by a made-up one."""
COINS = (
    "amber anchor apple arc ash autumn badger bay beacon birch blue bolt bridge bright brook cedar cherry circle city "
    "clear cloud coast copper corner crown crystal daily delta dove dream eagle echo elm ember evening falcon fern fire "
    "first flash forest fox garden glass gold grand green grove harbor hawk hill honey house iron island ivy jade jet "
    "king lake lantern leaf light lily lion lunar maple market meadow metro mint moon morning mountain neon night north "
    "nova oak ocean old olive orbit owl paper peak pearl pine planet prime pulse quick rain raven red ridge river road "
    "rocket rose royal ruby sand silver sky snow solar south spark spring star stone storm summit sun swift thunder "
    "tiger tower trail union valley velvet village violet vista voice wave west white wild willow wind winter wolf"
).split()


@dataclass(frozen=True)
class Example:
    """A text and what it teaches; None: nothing about that."""

    text: str
    details: tuple[str, ...] = ()
    """Detail keys that it is about; they share the probability."""
    reveals: bool | None = None
    """Whether the driver reveals a preference (that holds, or does not any more)."""
    request: str | None = None
    """Action name or ``none``."""


def statement(made: talk.Statement) -> Example:
    """A revealed preference; a plain declaration also teaches that nothing is asked for."""
    asks = DECLARES.fullmatch(made.text) is None or ASKS.search(made.text) is not None
    return Example(made.text, (made.detail,), reveals=True, request=None if asks else NONE)


def coined(rng: Random, made: talk.Statement) -> talk.Statement:
    """The statement with a name that nobody has heard, now and then, where its value is a name."""
    if made.detail not in NAMED or rng.random() > COINED_SHARE:
        return made
    name = " ".join(rng.sample(COINS, rng.choice((1, 2, 2, 2, 3))))
    name = name.replace(" ", "", 1) if rng.random() < 0.4 else name
    return replace(made, text=made.text.replace(made.said, name), said=name)


def of_somebody_else(rng: Random, made: talk.Statement) -> Example | None:
    """The same preference, but another person's; None where the sentence does not begin with the driver."""
    for first, verb in THIRD_PERSON.items():
        if made.text.startswith(f"{first} "):
            rest = made.text[len(first) :]
            rest = re.sub(r"\bmy\b", "their", re.sub(r"\bme\b", "them", re.sub(r"\bi\b", "they", rest)))
            return Example(f"{rng.choice(OTHERS)} {verb}{rest}", reveals=False, request=NONE)
    return None


def request(made: talk.Request) -> Example:
    """A request; a vague one also teaches which categories it is about, without revealing any."""
    fits = (line for line in _about() if f" {line} " in f" {made.text} ")
    return Example(made.text, _about().get(max(fits, key=len, default=""), ()), reveals=False, request=made.intent)


def framed(rng: Random, example: Example) -> Example:
    """The example as a politer or longer order, now and then."""
    if ORDERS.fullmatch(example.text) is None or rng.random() > FRAMED_SHARE:
        return example
    return replace(example, text=rng.choice(FRAMES).format(example.text))


@lru_cache(maxsize=1)
def _about() -> dict[str, tuple[str, ...]]:
    return {line: tuple(fill.detail for fill in group.fills) for group in phrases.vague() for line in group.say}


@lru_cache(maxsize=1)
def _openings() -> dict[str, tuple[str, ...]]:
    """Vague requests of the trained part, by the sub category that they are about."""
    found: dict[str, tuple[str, ...]] = {}
    for group in phrases.vague():
        for sub in {BY_DETAIL[fill.detail].sub for fill in group.fills}:
            found[sub] = (*found.get(sub, ()), *phrases.part(group.say, held_out=False))
    return found


def salad(rng: Random, words: list[str]) -> Example:
    """Words in a row, as a recogniser gives them for a noise."""
    return Example(" ".join(rng.choice(words) for _ in range(rng.randint(2, 9))), reveals=False, request=NONE)


def roughened(rng: Random, example: Example) -> Example:
    """The example misheard, or written with digits, commas and a full stop as typed and Whisper's text has them."""
    text, chance = example.text, rng.random()
    if chance < 0.25:
        text = talk.misheard(rng, text)
    elif chance < 0.45:
        for words, digits in DIGITS.items():
            text = re.sub(rf"\b{words}\b", digits, text)
        text = re.sub(r"^(well|oh|um|hey|honestly|so|actually|good morning) ", r"\1, ", text)
        text += rng.choice((".", ".", "!", "?"))
    return replace(example, text=text)


def examples(rng: Random, n: int, *, held_out: bool = False, rough: bool = True) -> list[Example]:
    """About `n` examples: two fifths reveal a preference, nearly half ask for something, a tenth do neither.

    Rough ones come with a few more that do neither: other people's preferences, one-off wishes, word salad.

    Args:
        rng: source of chance.
        n: how many, roughly.
        held_out: from the part that is never trained on.
        rough: with mishearings, digits and joined sentences.
    """
    made = talk.statements(rng, n * 2 // 5, held_out=held_out)
    asked = talk.requests(rng, n * 9 // 20, held_out=held_out)
    neither = talk.negatives(rng, n // 10, held_out=held_out)
    made = [coined(rng, item) for item in made] if rough else made
    found = [statement(item) for item in made] + [request(item) for item in asked]
    found += [Example(item.text, reveals=False, request=None if item.asks else NONE) for item in neither]
    if not rough:
        return found
    found = [framed(rng, example) if example.request not in {None, NONE} else example for example in found]
    words = [word for item in (*made, *neither) for word in item.text.split()]
    found += [salad(rng, words) for _ in range(n // 100)]
    found += [e for item in made if rng.random() < 0.15 and (e := of_somebody_else(rng, item)) is not None]
    found += [Example(f"{rng.choice(ONCE)} {item.text}", reveals=False) for item in made[: n // 60]]
    chatter = [item.text for item in neither if not item.asks] + [item.text for item in asked]
    for item in rng.sample(made, n * JOINED_SHARE // 100):
        related = _openings().get(BY_DETAIL[item.detail].sub, ())
        joined = (rng.choice(related if related and rng.random() < 0.5 else chatter), item.text)
        found.append(Example(" ".join(joined if rng.random() < 0.6 else joined[::-1]), (item.detail,), reveals=True))
    rng.shuffle(found)
    return [roughened(rng, example) for example in found]
