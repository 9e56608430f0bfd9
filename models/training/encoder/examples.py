"""Labelled sentences for the encoder's heads, made from the phrase bank.

An example may teach any of five things: which categories it is about (``details``), how clearly it reveals a preference
(``strength``), which words carry the value (``said``), which of a closed category's values it is (``choice``), what it
asks the car for (``request``); what it does not teach is left open.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from random import Random

import numpy as np

from models.commands.templates import Templates, load_templates
from models.training import conversations as talk
from models.training import phrases
from models.training.encoder.names import PLAINLY, THINGS, coin, liking, outside
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
STRENGTHS: tuple[str, ...] = ("none", "hinted", "stated", "ended")
"""Reveals no preference; only shows it in what is asked for; says it; says that it does not hold any more."""
CHOICES: tuple[tuple[str, str], ...] = tuple(
    (topic.detail, value.canonical)
    for topic in phrases.topics().values()
    if len(topic.values) < phrases.OPEN_VALUES
    for value in topic.values
)
"""(detail key, value) of the closed categories."""
JOINED_SHARE = 0.3
"""Statements with a request, an answer or some talk before or after them in the same turn."""
TWO_SHARE = 0.06
"""Statements with a second one of another category in the same turn."""
COMMANDED_SHARE = 0.18
"""Commands from the car's templates, beside the bank's requests."""
BORDER_SHARE = 0.2
"""Of the statements: those on the border between two categories."""
CONTEXT_SHARE = 0.12
"""Names whose kind only shows in what was asked for before, beside the statements."""
LIKED_SHARE = 0.6
"""Of these: names that are liked rather than only chosen."""
PLAIN_COMMON_SHARE = 0.5
"""Preferences in the fewest words whose value is one of the category's examples."""
OWN_SHARE = 0.7
"""What a sentence on a category's topic that reveals nothing gives to this category; its sub category shares the rest."""
LEADS = (
    "yes", "yes please", "yeah", "ok", "okay", "sure", "great", "alright", "no", "hm", "well", "good", "perfect", "sounds good",
    "that works", "yes do that", "yes and", "no but", "ok but", "great and", "yes but", "not really", "i see", "that's fine",
    "thank you and", "thanks but", "wonderful", "no thanks", "right", "let's do that", "hmm", "please do", "exactly", "maybe",
)  # fmt: skip
LINKS = (
    "and",
    "but",
    "and please",
    "also",
    "oh and",
    "by the way",
    "plus",
    "because",
    "just",
    "please",
    "actually",
    "and also",
)
FRAMED_SHARE = 0.25
"""Orders that are put more politely, or more at length."""
ONCE = ("just this once", "only for today", "today only", "just for now", "exceptionally", "this one time", "for once")
CHOSEN: Mapping[str, frozenset[str]] = {
    "set_temperature": frozenset({"celsius"}), "set_fan_speed": frozenset({"level"}), "set_airflow": frozenset({"direction"}),
    "set_seat_heating": frozenset({"level"}), "set_ambient_color": frozenset({"color"}),
    "set_ambient_brightness": frozenset({"percent"}), "play_music": frozenset({"genre", "artist", "song"}),
    "play_radio": frozenset({"station"}), "play_podcast": frozenset({"show", "genre"}), "find_place": frozenset({"quality"}),
    "set_route_preference": frozenset({"preference"}),
}  # fmt: skip
"""Slots with which a request picks what a category holds: whether that hints at a preference is left open."""
DIGITS = {talk.spoken_number(n): str(n) for n in range(100, 9, -1)}


NAMED = (
    "fast_food_preference",
    "preferred_gas_station", "preferred_charging_network", "preferred_supermarket_chain", "favorite_artists_or_bands",
    "favorite_songs", "preferred_music_streaming_service", "preferred_radio_station", "favorite_podcast_shows",
    "general_news_source",
)  # fmt: skip
"""Categories whose values are names: new ones come up all the time, so the words around must tell the category."""
COINED_SHARE = 0.55
"""Statements of these whose name is replaced by a made-up one."""


@dataclass(frozen=True)
class Example:
    """A text and what it teaches; None, or nothing in it: nothing about that."""

    text: str
    details: Mapping[str, float] = field(default_factory=dict[str, float])
    """Share of every detail key that it is about; they sum to 1."""
    strength: str | None = None
    """One of `STRENGTHS`."""
    said: tuple[tuple[str, str], ...] = ()
    """(detail key, words of the text that carry its value)."""
    choice: tuple[str, str] | None = None
    """One of `CHOICES`."""
    request: str | None = None
    """Action name or ``none``."""


def statement(made: talk.Statement) -> Example:
    """A revealed preference; a plain declaration also teaches that nothing is asked for."""
    asks = made.hinted or DECLARES.fullmatch(made.text) is None or ASKS.search(made.text) is not None
    strength = "ended" if made.negated else "hinted" if made.hinted else "stated"
    choice = (made.detail, made.value)
    return Example(
        made.text,
        {made.detail: 1.0},
        strength,
        said=((made.detail, made.said),),
        choice=choice if choice in CHOICES else None,
        request=None if asks else NONE,
    )


def coined(rng: Random, made: talk.Statement) -> talk.Statement:
    """The statement with a name that nobody has heard, now and then, where its value is a name."""
    if made.detail not in NAMED or rng.random() > COINED_SHARE:
        return made
    name = coin(rng, made.detail)
    return replace(made, text=made.text.replace(made.said, name), said=name)


def of_somebody_else(rng: Random, made: talk.Statement) -> Example | None:
    """The same preference, but another person's; None where the sentence does not begin with the driver."""
    for first, verb in THIRD_PERSON.items():
        if made.text.startswith(f"{first} "):
            rest = made.text[len(first) :]
            rest = re.sub(r"\bmy\b", "their", re.sub(r"\bme\b", "them", re.sub(r"\bi\b", "they", rest)))
            return Example(f"{rng.choice(OTHERS)} {verb}{rest}", _around(made.detail), "none", request=NONE)
    return None


def aside(made: talk.Aside) -> Example:
    """A sentence on a topic that reveals nothing of the driver's own."""
    return Example(made.text, {made.detail: 1.0} if made.once else _around(made.detail), "none")


def request(made: talk.Request) -> Example:
    """A request; a vague one also teaches which categories it is about, without revealing any."""
    fits = (line for line in _about() if f" {line} " in f" {made.text} ")
    about = _about().get(max(fits, key=len, default=""), {})
    chosen = not about and bool(CHOSEN.get(made.intent, frozenset()) & set(made.slots or ()))
    return Example(made.text, about, None if chosen else "none", request=made.intent)


def commanded(rng: Random, n: int) -> list[Example]:
    """Plain commands as the car's own templates have them, every action as often as the others."""
    templates = _templates()
    names = [name for name in dict.fromkeys(template.intent for template in templates.closed) if name in REQUESTS]
    made = templates.sample(np.random.default_rng(rng.getrandbits(32)), n, intents=names)
    return [
        Example(text, strength=None if CHOSEN.get(order.name, frozenset()) & set(order.slots) else "none", request=order.name)
        for text, order in made
    ]  # fmt: skip


@lru_cache(maxsize=1)
def _templates() -> Templates:
    return load_templates()


def need(rng: Random, *, held_out: bool = False) -> Example:
    """A request that what is remembered of a sub category would help with."""
    sub = rng.choice(tuple(phrases.needs()))
    details = [category.detail for category in CATEGORIES if category.sub == sub]
    text = rng.choice(phrases.part(phrases.needs()[sub], held_out=held_out))
    return Example(text, dict.fromkeys(details, 1 / len(details)), "none")


def framed(rng: Random, example: Example) -> Example:
    """The example as a politer or longer order, now and then."""
    if ORDERS.fullmatch(example.text) is None or rng.random() > FRAMED_SHARE:
        return example
    return replace(example, text=rng.choice(FRAMES).format(example.text))


def joined(rng: Random, made: Example, others: list[str]) -> Example:
    """The statement with something before it, after it, or both, that reveals nothing."""
    chance = rng.random()
    before = rng.choice(LEADS) if chance < 0.4 else rng.choice(others) if chance < 0.85 else ""
    after = rng.choice(others) if chance >= 0.7 else ""
    link = rng.choice(LINKS) if rng.random() < 0.35 else ""
    parts = [before, link if before else "", made.text, link if after and not before else "", after]
    return replace(made, text=_put(rng, [part for part in parts if part]), request=None)


def both(rng: Random, first: Example, second: Example) -> Example:
    """Two statements of different categories in one turn."""
    details = {key: 0.5 for one in (first, second) for key in one.details}
    text = _put(rng, [first.text, rng.choice(LINKS), second.text])
    strength = first.strength if first.strength == second.strength else None
    return Example(text, details, strength, (*first.said, *second.said))


def in_context(rng: Random, *, held_out: bool = False) -> Example:
    """A name of which only what was asked for before tells the category: a turn, and the one that it answers."""
    contexts = phrases.contexts()
    detail = rng.choice(tuple(contexts.openings))
    opening = rng.choice(phrases.part(contexts.openings[detail], held_out=held_out))
    liked = rng.random() < LIKED_SHARE
    line = rng.choice(phrases.part(contexts.likes if liked else contexts.picks, held_out=held_out))
    values = [v for v in phrases.values_part(phrases.topics()[detail], held_out=held_out) if v.said]
    name = coin(rng, detail) if rng.random() < COINED_SHARE else rng.choice(rng.choice(values).said)
    lead = [rng.choice(LEADS)] if rng.random() < 0.3 else []
    text = _put(rng, [opening, *lead, line.replace("{value}", name)])
    return Example(text, {detail: 1.0}, "stated" if liked else "hinted", ((detail, name),))


def plainly(rng: Random) -> Example:
    """A preference in the fewest words."""
    detail = rng.choice(tuple(PLAINLY))
    values = [v for v in phrases.topics()[detail].values if v.said]
    common = [v for v in values if v.canonical in BY_DETAIL[detail].examples]
    chosen = rng.choice(common if rng.random() < PLAIN_COMMON_SHARE else values)
    said, value = rng.choice(chosen.said), chosen.canonical
    choice = (detail, value)
    return Example(
        rng.choice(PLAINLY[detail]).format(said), {detail: 1.0}, "stated", ((detail, said),),
        choice if choice in CHOICES else None, NONE,
    )  # fmt: skip


def _liking(rng: Random, *, held_out: bool) -> Example:
    """A plain liking: only the thing that is liked tells that it is a preference of ours."""
    detail = rng.choice(tuple(THINGS))
    values = [v for v in phrases.values_part(phrases.topics()[detail], held_out=held_out) if v.said]
    said = rng.choice(rng.choice(values).said)
    return Example(liking(rng, detail, said), {detail: 1.0}, "stated", ((detail, said),), request=NONE)


def _put(rng: Random, parts: list[str]) -> str:
    """The parts one after the other, as spoken or as written."""
    if rng.random() < 0.5:
        return " ".join(parts)
    text = parts[0]
    for before, part in pairwise(parts):
        text += (" " if before in LINKS else rng.choice((", ", ". ", "? ", " - ", "! ", "; "))) + part
    return text


def _around(detail: str) -> dict[str, float]:
    """Mostly this category, and its sub category's others."""
    others = [c.detail for c in CATEGORIES if c.sub == BY_DETAIL[detail].sub and c.detail != detail]
    return {detail: OWN_SHARE, **dict.fromkeys(others, (1 - OWN_SHARE) / len(others))}


@lru_cache(maxsize=1)
def _about() -> dict[str, dict[str, float]]:
    return {
        line: {fill.detail: 1 / len(group.fills) for fill in group.fills}
        for group in phrases.vague()
        for line in group.say
    }


@lru_cache(maxsize=1)
def _openings() -> dict[str, tuple[str, ...]]:
    """Requests of the trained part that reveal nothing, by the sub category that they are about."""
    found: dict[str, tuple[str, ...]] = {
        sub: phrases.part(lines, held_out=False) for sub, lines in phrases.needs().items()
    }
    for group in phrases.vague():
        for sub in {BY_DETAIL[fill.detail].sub for fill in group.fills}:
            found[sub] = (*found.get(sub, ()), *phrases.part(group.say, held_out=False))
    return found


def salad(rng: Random, words: list[str]) -> Example:
    """Words in a row, as a recogniser gives them for a noise."""
    return Example(" ".join(rng.choice(words) for _ in range(rng.randint(2, 9))), strength="none", request=NONE)


def roughened(rng: Random, example: Example) -> Example:
    """The example misheard, or written with digits, hyphens and a full stop as typed and Whisper's text has them."""
    text, said, chance = example.text, example.said, rng.random()
    if chance < 0.2:
        text = talk.misheard(rng, text, said[0][1] if len(said) == 1 and said[0][1] in text else "")
    elif chance < 0.6:
        text, said = _digits(text), tuple((detail, _digits(words)) for detail, words in said)
        text = re.sub(r"^(well|oh|um|hey|honestly|so|actually|good morning|yes|no|ok|great) ", r"\1, ", text)
        text = re.sub(r"\b(gluten|lactose|dairy|nut|sugar) free\b", r"\1-free", text) if not said else text
        text += rng.choice((".", ".", "!", "?", "", ""))
    return replace(example, text=text, said=said)


def _digits(text: str) -> str:
    for words, digits in DIGITS.items():
        text = re.sub(rf"\b{words}\b", digits, text)
    return text


def examples(rng: Random, n: int, *, held_out: bool = False, rough: bool = True) -> list[Example]:
    """About `n` examples: half reveal a preference, a quarter ask for something, the rest is asides, needs and talk.

    Rough ones come with mishearings, digits and other marks of writing, with several things in one turn, and with a few
    more that reveal nothing: other people's preferences, one-off wishes, word salad.

    Args:
        rng: source of chance.
        n: how many, roughly.
        held_out: from the part that is never trained on.
        rough: as drivers and recognisers are; otherwise the phrases as they stand.
    """
    border = int(n // 2 * BORDER_SHARE) if rough else 0
    made = talk.statements(rng, n // 2 - border, held_out=held_out)
    made += talk.borders(rng, border, held_out=held_out)
    asked = talk.requests(rng, n // 5, held_out=held_out)
    beside = talk.asides(rng, n * 3 // 20, held_out=held_out)
    neither = talk.negatives(rng, n // 10, held_out=held_out)
    needs = [need(rng, held_out=held_out) for _ in range(n // 20)]
    made = [coined(rng, item) for item in made] if rough else made
    stated, requested = [statement(item) for item in made], [request(item) for item in asked]
    nothing = [Example(item.text, strength="none", request=None if item.asks else NONE) for item in neither]
    asides = [aside(item) for item in beside]
    if not rough:
        return [*stated, *requested, *asides, *nothing, *needs]
    requested += commanded(rng, int(n * COMMANDED_SHARE))
    requested = [framed(rng, example) if example.request not in {None, NONE} else example for example in requested]
    chatter = [e.text for e in nothing] + [e.text for e in requested if e.strength == "none"]
    found: list[Example] = [*requested, *asides, *nothing, *needs]
    for example, item in zip(stated, made, strict=True):
        chance = rng.random()
        if chance < JOINED_SHARE:
            related = _openings().get(BY_DETAIL[item.detail].sub, ())
            found.append(joined(rng, example, list(related) if related and rng.random() < 0.6 else chatter))
        elif chance < JOINED_SHARE + TWO_SHARE and (other := rng.choice(stated)).details != example.details:
            found.append(both(rng, example, other))
        else:
            found.append(example)
        if rng.random() < 0.06 and (third := of_somebody_else(rng, item)) is not None:
            found.append(third)
    words = [word for item in (*made, *neither) for word in item.text.split()]
    found += [salad(rng, words) for _ in range(n // 150)]
    found += [Example(outside(rng), strength="none", request=NONE) for _ in range(n // 40)]
    found += [_liking(rng, held_out=held_out) for _ in range(n // 16)]
    found += [in_context(rng, held_out=held_out) for _ in range(int(n // 2 * CONTEXT_SHARE))]
    found += [plainly(rng) for _ in range(n // 60)]
    for item in made[: n // 80]:
        found.append(Example(f"{rng.choice(ONCE)} {item.text}", {item.detail: 1.0}, "none"))
    chatter += [outside(rng) for _ in range(n // 80)]
    for example in rng.sample(
        [*asides, *nothing, *nothing, *requested], n // 10
    ):  # long turns that reveal nothing, too
        found.append(joined(rng, replace(example, strength="none"), chatter))
    rng.shuffle(found)
    return [roughened(rng, example) for example in found]
