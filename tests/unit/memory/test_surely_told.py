"""What the driver surely tells, and what he gives up, with the encoder that ships."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memory.service import DriverMemory
from memory.vault.lifecycle import Vault
from models.catalog.shelf import BUILTIN
from models.runtime.onnx_encoder import OnnxEncoder
from schemas.memory import Decision, Outcome, Turn
from tests.memories import StoppedClock

NOW = StoppedClock().now
ENCODER = OnnxEncoder(BUILTIN / "encoder")


@pytest.fixture
def memory() -> Iterator[DriverMemory]:
    own = DriverMemory("ada", Vault.in_memory(clock=lambda: NOW), encoder=ENCODER, clock=lambda: NOW)
    yield own
    own.close()


def said(memory: DriverMemory, text: str, *, told: bool) -> tuple[Decision, ...]:
    memory.note(Turn(speaker="driver", text=text, at=NOW), "trip-1")
    return memory.learn_pending("trip-1", text if told else "")


def kept(memory: DriverMemory) -> list[tuple[str, str]]:
    return [(p.value, p.sense.value) for p in memory.preferences()]


def held(memory: DriverMemory) -> set[tuple[str, str, tuple[str, ...]]]:
    return {(p.detail, p.value, tuple(c.value for c in p.conditions)) for p in memory.preferences()}


@pytest.mark.parametrize(("text", "detail", "value"), [
    ("I like Coldplay", "favorite_artists_or_bands", "coldplay"),
    ("I love Bohemian Rhapsody", "favorite_songs", "bohemian rhapsody"),
    ("I like the music genre bossa nova", "favorite_genres", "bossa nova"),
    ("I like the podcast genre comedy", "favorite_podcast_genres", "comedy"),
    ("I like the song called Yesterday", "favorite_songs", "yesterday"),
    ("I'm into drum and bass", "favorite_genres", "drum and bass"),
])  # fmt: skip
def test_a_liking_told_outright_is_kept_at_once(memory: DriverMemory, text: str, detail: str, value: str) -> None:
    said(memory, text, told=True)
    assert held(memory) == {(detail, value, ())}


@pytest.mark.parametrize("text", ["I love Mondays", "I like the sea", "I love my kids", "my brother likes Coldplay"])
def test_a_liking_of_no_category_or_of_somebody_else_is_not(memory: DriverMemory, text: str) -> None:
    said(memory, text, told=True)
    assert not held(memory)


STATION, DEGREES = "preferred_radio_station", "preferred_temperature"


@pytest.mark.parametrize(("text", "kept_"), [
    ("Radio 4 in the morning and Jazz FM at night",
     {(STATION, "radio 4", ("morning",)), (STATION, "jazz fm", ("night",))}),
    ("in summer I like 20 degrees and in winter 23",
     {(DEGREES, "20 degrees", ("summer",)), (DEGREES, "23 degrees", ("winter",))}),
    ("I like 19 degrees in the morning and 22 at night",
     {(DEGREES, "19 degrees", ("morning",)), (DEGREES, "22 degrees", ("night",))}),
    ("I like jazz in the morning", {("favorite_genres", "jazz", ("morning",))}),
])  # fmt: skip
def test_each_of_two_values_keeps_its_own_condition(
    memory: DriverMemory, text: str, kept_: set[tuple[str, str, tuple[str, ...]]]
) -> None:
    said(memory, text, told=True)
    assert held(memory) == kept_


@pytest.mark.parametrize(("text", "asked"), [
    ("highways are fine by me", False), ("you can take highways", True),
    ("I don't mind highways", False), ("I'm happy to use motorways", False),
])  # fmt: skip
def test_a_road_that_is_welcome_is_not_avoided(memory: DriverMemory, text: str, asked: bool) -> None:
    said(memory, text, told=True)
    assert not held(memory)
    said(memory, "I avoid highways", told=True)
    assert [p.value for p in memory.preferences()] == ["highways"]
    said(memory, text, told=True)
    assert [(p.value, p.negated) for p in memory.proposals()] == ([("highways", True)] if asked else [])
    assert bool(held(memory)) is asked


@pytest.mark.parametrize("text", ["no toll roads for me please", "toll roads are not okay with me"])
def test_a_road_that_is_not_welcome_is_avoided(memory: DriverMemory, text: str) -> None:
    said(memory, text, told=True)
    assert [(p.value, p.sense.value) for p in memory.preferences()] == [("toll roads", "avoids")]


@pytest.mark.parametrize(("text", "sure", "lasting"), [
    ("when Jess is in the car I like it at 22", 1.0, True),
    ("in winter I have the seat heating on high", 0.9, True),
    ("medium was fine once, these days I have the seat on high", 0.9, True),
    ("set the seat heating to high", 0.4, False),
    ("it's december, put the seat heating on high", 0.9, False),
    ("put some jazz on for the drive home", 0.4, False),
    ("when I drive home, is there any jazz?", 0.4, False),
])  # fmt: skip
def test_what_lasts_is_no_order_however_sure_the_parser_is(
    memory: DriverMemory, text: str, sure: float, lasting: bool
) -> None:
    assert memory.lasts(text, sure) is lasting


def test_what_gives_up_something_held_is_no_order(memory: DriverMemory) -> None:
    text = "Red's had its day, call it orange for the lights from today."
    assert not memory.lasts(text, 1.0)
    said(memory, "I like red light in the car.", told=True)
    assert memory.lasts(text, 1.0)
    assert not memory.lasts("make it orange, not red", 1.0)


@pytest.mark.parametrize(("text", "said"), [
    ("My da won't go near a toll road, tight as a drum he is.", "My da won't go near a toll road"),
    ("the wife only shops at waitrose", "the wife only shops at waitrose"),
    ("My flatmate never eats anywhere but Nando's, the daft sod.", "My flatmate never eats anywhere but Nando's"),
    ("Half the office eats at Subway.", ""),
    ("The neighbours love their barbecues.", ""),
    ("My gran takes tablets for her heart.", ""),
    ("My son loves that dinosaur podcast.", ""),
])  # fmt: skip
def test_what_somebody_close_likes_may_be_kept_with_whose_it_is(memory: DriverMemory, text: str, said: str) -> None:
    fact = memory.of_close(text)
    assert ("" if fact is None else fact.text) == said
    if fact is not None:
        memory.keep(fact)
        assert [one.about for one in memory.facts()] == [fact.about] != [""] and not memory.preferences()


def test_a_fact_told_again_with_a_new_value_takes_the_place_of_the_old_one(memory: DriverMemory) -> None:
    for text in ("the bins go out on a tuesday", "my dad's house is number ten", "my mum's house is number four",
                 "the bins go out on thursdays now"):  # fmt: skip
        last = memory.remember(f"remember that {text}")
    assert [d.replaced for d in last] == [("the bins go out on a tuesday",)]
    assert len(memory.facts()) == 3
    for text in ("locker 7 is number 12", "locker 8 is number 12", "locker 8 is number 5",
                 "the rent is due on the fifth", "the rent is due on the sixth",
                 "my plumber is called keith", "my plumber is called edith"):  # fmt: skip
        memory.remember(f"remember that {text}")
    held = {fact.text for fact in memory.facts()}
    assert held >= {"locker 7 is number 12", "locker 8 is number 5", "the rent is due on the sixth"}
    assert held >= {"my plumber is called keith", "my plumber is called edith"}
    assert "the rent is due on the fifth" not in held
    assert "locker 8 is number 12" not in {fact.text for fact in memory.facts()}


def test_how_tea_is_taken_is_no_diet(memory: DriverMemory) -> None:
    memory.remember("remember that i take my tea with two sugars and no milk")
    assert [fact.text for fact in memory.facts()] == ["i take my tea with two sugars and no milk"]
    assert [d.outcome for d in memory.remember("keep in mind i can't have gluten")] == [Outcome.REFUSED]
    assert len(memory.facts()) == 1


@pytest.mark.parametrize(("text", "company"), [
    ("when Jess is in the car she likes it at 23", True),
    ("my wife wants 24 degrees when she drives with me", True),
    ("Tom likes the seat heating on high when he is in the car", True),
    ("set it to 23 for Jess", False),
    ("my brother likes Coldplay", False),
])  # fmt: skip
def test_what_somebody_likes_in_the_car_is_told_of_company(memory: DriverMemory, text: str, company: bool) -> None:
    assert memory.lasts(text, 1.0) is company
    if company:
        memory.remember(text)
        assert [fact.text for fact in memory.facts()] == [text]
        assert not memory.preferences()


def test_what_is_surely_told_needs_less_sureness(memory: DriverMemory) -> None:
    said(memory, "heavy metal does my head in", told=False)
    assert not kept(memory)
    said(memory, "heavy metal does my head in", told=True)
    assert kept(memory) == [("heavy metal", "dislikes")]


def test_another_turn_is_not_taken_for_told(memory: DriverMemory) -> None:
    memory.note(Turn(speaker="driver", text="heavy metal does my head in", at=NOW), "trip-1")
    memory.learn_pending("trip-1", "something else")
    assert not kept(memory)


def test_what_is_given_up_is_looked_for_where_it_is_held(memory: DriverMemory) -> None:
    memory.remember("i love muse", "favorite_artists_or_bands")
    assert kept(memory) == [("muse", "likes")]
    decisions = said(memory, "actually i can't stand muse any more", told=True)
    assert {d.detail for d in decisions} == {"favorite_artists_or_bands"}


@pytest.mark.parametrize(("text", "kept_"), [
    ("I can't stand country music, and in the mornings I listen to Radio 4",
     {("favorite_genres", "country", ()), (STATION, "radio 4", ("morning",))}),
    ("I hate opera, and on the way home I always have Classic FM on",
     {("favorite_genres", "opera", ()), (STATION, "classic fm", ("other",))}),
    ("I'm into soul but heavy metal does my head in",
     {("favorite_genres", "soul", ()), ("favorite_genres", "heavy metal", ())}),
    ("I love a curry and I fill up at Shell",
     {("favourite_cuisine", "curry", ()), ("preferred_gas_station", "shell", ())}),
])  # fmt: skip
def test_each_statement_of_a_sentence_is_kept(
    memory: DriverMemory, text: str, kept_: set[tuple[str, str, tuple[str, ...]]]
) -> None:
    said(memory, text, told=True)
    assert held(memory) == kept_


def test_what_one_says_of_another_is_not_taken_out_of_it(memory: DriverMemory) -> None:
    said(memory, "so our Pauline turns round and goes, I can't abide Adele, just like that", told=True)
    assert not held(memory)


@pytest.mark.parametrize(("text", "own"), [
    ("And she's like, I never shop at Tesco, I only go to Waitrose.", False),
    ("The fella in the queue told me, I always fill up at Esso.", False),
    ("And then she pipes up, I listen to Radio Four every morning.", False),
    ("Since my hip went, I listen to Radio Four every morning.", True),
    ("Now the kids have left home, I listen to jazz.", True),
])  # fmt: skip
def test_who_says_i_in_a_quotation_is_not_the_driver(memory: DriverMemory, text: str, own: bool) -> None:
    said(memory, text, told=True)
    assert bool(held(memory)) is own


@pytest.mark.parametrize(("text", "kept_"), [
    ("When we had the old convertible I wouldn't leave it anywhere without a guard on the gate.", set()),
    ("Back when I had the van I'd only ever pay by cash.", set()),
    ("I used to want the fan on high, these days low does me.", {("fan_speed_preferences", "low", ())}),
    ("It was Spotify for years but I'm all over YouTube Music lately.",
     {("preferred_music_streaming_service", "youtube music", ())}),
])  # fmt: skip
def test_what_once_held_is_told_of_and_not_kept(
    memory: DriverMemory, text: str, kept_: set[tuple[str, str, tuple[str, ...]]]
) -> None:
    said(memory, text, told=True)
    assert held(memory) == kept_


@pytest.mark.parametrize(("text", "kept_"), [
    ("I only ever eat at McDonald's if I'm on a long trip", {("fast_food_preference", "mcdonald's", ("long",))}),
    ("I like the seat heating on high if I've been out in the snow", {("seat_heating_preferences", "high", ("snow",))}),
    ("I always park in a multi-storey if I can help it", {("preferred_parking_type", "parking garage", ())}),
    ("When I've got my good coat on I like a covered space", {("preference_for_covered_parking", "yes", ("other",))}),
    ("if I were younger I would listen to techno all night", set()),
])  # fmt: skip
def test_an_if_is_a_condition_where_its_words_name_one(
    memory: DriverMemory, text: str, kept_: set[tuple[str, str, tuple[str, ...]]]
) -> None:
    said(memory, text, told=True)
    assert held(memory) == kept_


@pytest.mark.parametrize(("before", "text", "now"), [
    ("I use Deezer for my music.", "Finally cancelled Deezer and went over to Tidal.", "tidal"),
    ("I usually charge at Ionity.", "Ionity's priced me out, so it's the Tesla chargers I go to.", "tesla chargers"),
    ("My radio station is Capital.", "Kiss has taken over from Capital for me.", "kiss"),
    ("I listen to Desert Island Discs.", "Desert Island Discs went stale on me, it's Off Menu I put on these days.", "off menu"),
])  # fmt: skip
def test_what_is_given_up_makes_room(memory: DriverMemory, before: str, text: str, now: str) -> None:
    said(memory, before, told=True)
    assert len(kept(memory)) == 1
    said(memory, text, told=True)
    assert kept(memory) == [(now, "likes")]


@pytest.mark.parametrize(("text", "asked"), [
    ("Five Guys is where I go now, the other place has gone downhill.", ["burger king"]),
    ("Five Guys is where I go as well now.", []),
])  # fmt: skip
def test_what_may_have_been_given_up_is_asked_about(memory: DriverMemory, text: str, asked: list[str]) -> None:
    memory.opt_in("orientation")  # the guard hears "guys"
    memory.remember("I generally get my burgers at Burger King.", "fast_food_preference")
    said(memory, text, told=True)
    assert {value for value, _ in kept(memory)} == {"five guys", "burger king"}
    assert [p.value for p in memory.proposals() if p.negated] == asked


def test_a_disabled_bay_is_not_a_bay_disabled(memory: DriverMemory) -> None:
    memory.opt_in("need_for_handicapped_accessible_parking")
    memory.opt_in("health")
    said(memory, "I've the blue badge on account of my hip, so it's a disabled bay for me wherever we go", told=True)
    assert kept(memory) == [("yes", "needs")]


def test_a_level_is_refused_in_more_words_than_not(memory: DriverMemory) -> None:
    said(memory, "I'm not one for dear places, pub grub money's all I'll ever spend on a meal", told=True)
    assert kept(memory) == [("cheap", "likes")]


def test_praise_in_refusing_words_is_not_kept_as_a_dislike(memory: DriverMemory) -> None:
    said(memory, "I just can't get enough of those ghost story podcasts", told=True)
    assert not kept(memory)
    assert not any(memory.worth(one, told=True) for one in memory.proposals())


@pytest.mark.parametrize(("text", "kept"), [
    ("and in winter I always want the steering wheel warm", ""),
    ("I like the screen dim at night", ""),
    ("I always want the heated mirrors on when it's frosty", ""),
    ("and in winter I always want my seat warm", "seat_heating_preferences"),
    ("I like the light in here dim at night", "interior_lighting_brightness_preferences"),
])  # fmt: skip
def test_how_another_thing_of_the_car_is_liked_is_no_liking_of_the_seat_or_the_light(
    memory: DriverMemory, text: str, kept: str
) -> None:
    said(memory, text, told=True)
    assert {detail for detail, _, _ in held(memory)} == ({kept} if kept else set())
    assert not memory.proposals() or kept
