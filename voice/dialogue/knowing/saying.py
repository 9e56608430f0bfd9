"""What is said about the driver's manners, habits and the changes of a day. Pure; every value comes from memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Final

from schemas.manners import Change, Habit, Manners, Review
from schemas.memory import Kind, Preference
from voice.dialogue.forgetting.counted import listed, number
from voice.dialogue.memory.likes import because
from voice.dialogue.replies.moments import spoken_moment

ALOUD: Final = 3
"""Changes that are told at a time; as of ``counted.ALOUD``."""
QUESTIONS: Final[Mapping[str, str]] = {
    "name": "What shall I call you? You can say, for example: Sam.",
    "length": "Do you like short answers, or longer ones? You can say, for example: short.",
    "units": "Which units do you use? You can say, for example: Celsius and miles.",
}
"""The questions of the first minute, in their order, each with an example of an answer. Which voice says a name, and how, is not
asked: the voices read English, and nothing else could be done with the answer."""
BEGINS: Final = "Three short questions; say stop whenever you like."
OFFER: Final = "By the way, may I ask you three short questions, to get to know you?"
OFFER_WHY: Final = "Because this is our first drive together. I ask that only once."
DECLINED: Final = "Okay, I won't ask again. You can always say: get to know me."
LEFT: Final = "Okay, that was all. Say: get to know me, if you want to go on another time."
NOTHING_SAID: Final = "I told you of nothing that could be taken back."
NO_MORE: Final = "Okay, I suggest nothing any more. You can always say: you may make suggestions again."
AGAIN: Final = "Okay, I may suggest something now and then."
_MEASURES: Final = {
    "kilometers": "distances in kilometres", "miles": "distances in miles", "celsius": "temperatures in degrees Celsius",
    "fahrenheit": "temperatures in degrees Fahrenheit",
}  # fmt: skip
_LENGTHS: Final = {
    "brief": "I'll keep it short",
    "full": "I'll tell you a bit more",
    "normal": "I'll talk as I did at first",
}
_USUALLY: Final[Mapping[str, str]] = {
    "preferred_charging_network": "charge", "charging_station_onsite_amenities": "charge", "preferred_gas_station": "fill up",
    "preferred_supermarket_chain": "shop", "preferred_parking_type": "park", "preference_for_covered_parking": "park",
    "favourite_cuisine": "eat", "preferred_restaurant_type": "eat", "desired_price_range": "eat", "dietary_preference": "eat",
    "fast_food_preference": "eat", "preferred_temperature": "have it at {value}",
    "fan_speed_preferences": "have the fan on {value}", "seat_heating_preferences": "have your seat heated on {value}",
    "airflow_direction_preferences": "have the air at your {value}", "favorite_genres": "listen to {value}",
    "favorite_artists_or_bands": "listen to {value}", "favorite_songs": "listen to {value}",
    "preferred_radio_station": "listen to {value}", "general_news_source": "listen to {value}",
    "favorite_podcast_shows": "listen to {value}", "favorite_podcast_genres": "listen to {value} podcasts",
    "interior_lighting_color_preferences": "have {value} light",
    "interior_lighting_brightness_preferences": "have the light {value}",
}  # fmt: skip
"""Detail key -> what the driver usually does."""


_MANNERS: Final = {
    "name": "I call you {value}", "reply_length": "you like {value} answers", "temperature_unit": "you think in {value}",
    "distance_unit": "you think in {value}",
}  # fmt: skip
"""Key of a line of the profile -> what it says."""
_NAMED: Final = {
    "brief": "short", "full": "longer", "normal": "ordinary", "celsius": "degrees Celsius", "fahrenheit": "degrees Fahrenheit",
    "kilometers": "kilometres",
}  # fmt: skip


def understood(found: Mapping[str, str]) -> str:
    """What is said to manners that were told, by field; the name alone is said back."""
    parts = [_LENGTHS[found["length"]]] if "length" in found else []
    measured = [_MEASURES[found[field]] for field in ("temperature", "distance") if field in found]
    parts += [f"I tell you {listed(measured)}"] if measured else []
    name = f"Okay, {found['name']}." if "name" in found else "Okay."
    return name if not parts else f"{name[:-1]}, {listed(parts)} from now on."


def ended(manners: Manners) -> str:
    """What is said after the last question."""
    name = f", {manners.name}" if manners.name else ""
    return f"Thank you{name}. You can change that whenever you like; just say, for example: be brief."


def suggestion(habit: Habit, way: str, name: str, asks: str) -> str:
    """A suggestion with its evidence.

    Args:
        habit: which habit.
        way: where the place is that is meant, ``on your way`` or ``near``; empty where it is no place.
        name: the place's.
        asks: the question for what would be done.
    """
    does = _USUALLY.get(habit.detail, "have it so").format(value=habit.value)
    weekly = habit.when.startswith("on ")
    when = f"on {habit.when.removeprefix('on ').capitalize()}" if weekly else habit.when
    span = "weeks" if weekly else "working days"
    so = (
        f"all of the last {number(habit.of)} {span}"
        if habit.times == habit.of
        else f"{number(habit.times)} of the last {number(habit.of)} {span}"
    )
    place = f" {name} is {way}." if name else ""
    return f"By the way, you usually {does} {when}, {so}.{place} {asks}"


def evidence(habit: Habit, now: datetime, zone: tzinfo) -> str:
    """Why that was suggested."""
    return f"Because you did so {listed([spoken_moment(day, now, zone) for day in habit.days[-ALOUD:]])}."


def change(one: Change, units: Callable[[str], str]) -> str:
    """A change as a clause: ``you like jazz, and no longer rock``."""
    match one.kind:
        case Kind.PREFERENCE:
            told = units(because(_as_preference(one, one.text)))
            if one.ended:
                return f"it is no longer so that {told}"
            return told if one.before is None else f"{told}, in place of {units(one.before)}"
        case Kind.THOUGHT:
            noticed = one.text.replace("often asks for ", "often ask for ").replace(
                "often speaks of ", "often speak of "
            )
            return f"I noticed that you {noticed}" if noticed != one.text else f"I noticed: {one.text}"
        case Kind.PROFILE:
            return _MANNERS.get(one.detail, "your {key} is {value}").format(
                key=one.detail.replace("_", " "), value=_NAMED.get(one.text, one.text)
            )
        case _:
            return f"what you told me: {f'{one.about} ' if one.about else ''}{one.text.rstrip('.')}"


def _as_preference(one: Change, value: str) -> Preference:
    return Preference(
        id=one.id, detail=one.detail, value=value, sentences=(), conversation="", confidence=1.0, valid_from=one.at,
        sense=one.sense,
    )  # fmt: skip


def reviewed(review: Review, units: Callable[[str], str], *, first: int = 0, more: str = " Say: what else.") -> str:
    """The changes of a time in a few sentences, newest first; what is gone is only counted.

    Args:
        review: all of them.
        units: puts temperatures into the driver's unit.
        first: how many were told before.
        more: what is said where some are left.
    """
    words = review.period.words
    when = f"{words[:1].upper()}{words[1:]}" if words else "Since then"
    told = review.changes[first : first + ALOUD]
    sentences: list[str] = []
    if not review.changes:
        sentences.append(f"{when} I learned nothing new.")
    elif told:
        clauses = [change(one, units) for one in told]
        if first:
            sentences.append(f"And {listed(clauses)}.")
        elif len(review.changes) == 1:
            sentences.append(f"{when} I learned one thing: {clauses[0]}.")
        else:
            sentences.append(f"{when} I learned {number(len(review.changes))} things.")
            sentences += [f"{place}: {clause}." for place, clause in zip(_PLACES, clauses, strict=False)]
        left = len(review.changes) - first - len(told)
        sentences.append(f"There {'is' if left == 1 else 'are'} {number(left)} more.{more}" if left > 0 else "")
    if not first:
        gone, kept_out = review.forgotten, review.refused
        sentences.append(
            f"{number(gone).capitalize()} thing{'s were' if gone > 1 else ' was'} forgotten." if gone else ""
        )
        times = "Once" if kept_out == 1 else f"{number(kept_out).capitalize()} times"
        sentences.append(f"{times} I was told something that I must not keep." if kept_out else "")
    return " ".join(filter(None, sentences))


_PLACES: Final[Sequence[str]] = ("First", "Second", "Third")


def taken_back(one: Change, units: Callable[[str], str]) -> str:
    """What is said once a change was undone."""
    if one.ended or one.before is not None:
        value = one.text if one.ended else one.before or ""
        return f"Okay, it is as before: {units(because(_as_preference(one, value)))}."
    told = change(one, units) if one.kind is Kind.FACT else f"that {change(one, units)}"
    return f"Undone: I have forgotten {told}."
