"""What marks make of a value, conditions and facts: in what sense it is stored, and what is cut out of an asking."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from memory.learn.english.conditions import condition, same
from memory.learn.english.secrets import secret
from memory.learn.extraction import Extractor
from memory.learn.facts import asks, fact, is_close, is_secret, of_others, until
from memory.learn.maintenance import Maintainer
from memory.learn.meaning import DOUBT, Holds, agreed, elsewhen, meaning, named, unconditioned, unmarked
from memory.service import DriverMemory
from memory.vault.keys import RawKey
from memory.vault.lifecycle import Vault
from models.catalog import Catalog
from models.marks import spans_of
from models.runtime.fake_encoder import KeywordEncoder
from models.runtime.onnx_encoder import OnnxEncoder
from schemas.kinds import LABELS, PARKED, PARKED_FOR, Condition, ConditionKind, Label, Marked, Sense
from schemas.memory import Candidate, Consent, Conversation, Outcome, Preference, Turn

NOW = datetime(2026, 11, 23, 8, tzinfo=UTC)
"""A Monday."""
GENRES = "favorite_genres"


@cache
def real() -> OnnxEncoder:
    return OnnxEncoder(Catalog().find("encoder"))


def marked(text: str, **labels: Label) -> Marked:
    spans = spans_of(text)
    shares = np.zeros((len(spans), len(LABELS)), np.float32)
    for row, (start, end) in enumerate(spans):
        shares[row, LABELS.index(labels.get(text[start:end], Label.NOTHING))] = 1.0
    return Marked(text, spans, shares)


def test_each_value_of_a_sentence_has_its_own_sense() -> None:
    told = marked("she's into rap i love soul and hate rock", rap=Label.OTHERS, soul=Label.LIKES, rock=Label.DISLIKES)
    assert meaning(told, GENRES, "rap", "rap").holds is Holds.OTHERS
    assert meaning(told, GENRES, "soul", "soul").sense is Sense.LIKES
    assert meaning(told, GENRES, "rock", "rock").sense is Sense.DISLIKES


@pytest.mark.parametrize(
    ("text", "sense"), [("I like sushi", Sense.LIKES), ("We really don't like sushi.", Sense.DISLIKES)]
)
def test_who_says_outright_what_they_like_likes_it_whatever_the_marks_say(text: str, sense: Sense) -> None:
    wrong = Label.DISLIKES if sense is Sense.LIKES else Label.LIKES
    told = meaning(marked(text.rstrip("."), sushi=wrong), "favourite_cuisine", "sushi", "sushi")
    assert (told.sense, told.holds) == (sense, Holds.YES)
    beside = meaning(marked("i like sushi with none of the fish", sushi=wrong), "favourite_cuisine", "sushi", "sushi")
    assert beside.sense is (Sense.DISLIKES if wrong is Label.DISLIKES else Sense.LIKES)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("i like soul when jess is in the car", "when jess is in the car"),
        ("whenever tom is in the car i like soul", "whenever tom is in the car"),
        ("i like soul now that jess is in the car", None),
    ],
)
def test_who_is_there_is_kept_in_its_whole_clause(text: str, words: str | None) -> None:
    told = marked(text, soul=Label.LIKES)
    assert told.shares is not None
    row = next(at for at, (start, end) in enumerate(told.spans) if text[start:end] in ("jess", "tom"))
    told.shares[row] = 0.0
    told.shares[row, LABELS.index(Label.COMPANY)] = 0.7
    found = meaning(told, GENRES, "soul", "soul").conditions
    assert [one.words for one in found] == ([words] if words else [])


def test_who_likes_motorways_does_not_avoid_them() -> None:
    told = marked("i like motorways", motorways=Label.LIKES)
    assert meaning(told, "avoidance_of_specific_road_types", "motorways", "highways").holds is Holds.ENDED


def test_a_condition_belongs_to_the_value_beside_it() -> None:
    told = marked(
        "soul mornings then rock evenings", soul=Label.LIKES, mornings=Label.TIME, rock=Label.LIKES, evenings=Label.TIME
    )
    assert [c.value for c in meaning(told, GENRES, "soul", "soul").conditions] == ["morning"]
    assert [c.value for c in meaning(told, GENRES, "rock", "rock").conditions] == ["evening"]


def test_what_is_excepted_is_no_condition() -> None:
    told = marked("i like soul except on sundays", soul=Label.LIKES, sundays=Label.TIME)
    assert meaning(told, GENRES, "soul", "soul").conditions == ()
    told = marked("i like soul on sundays", soul=Label.LIKES, sundays=Label.TIME)
    assert [c.words for c in meaning(told, GENRES, "soul", "soul").conditions] == ["sundays"]


def test_another_value_has_its_own_condition_though_the_first_has_none() -> None:
    text = "soul but rock when driving home"
    told = marked(
        text, soul=Label.LIKES, rock=Label.LIKES, when=Label.PURPOSE, driving=Label.PURPOSE, home=Label.PURPOSE
    )
    assert elsewhen(told, ["soul"], ["soul", "rock"]) == ["rock"]
    assert elsewhen(marked("soul but rock", soul=Label.LIKES, rock=Label.LIKES), ["soul"], ["soul", "rock"]) == []


def test_a_value_is_read_without_the_words_of_its_condition() -> None:
    told = marked("i like my seat warm when cold", warm=Label.LIKES, when=Label.WEATHER, cold=Label.WEATHER)
    assert unconditioned(told, told.text) == "i like my seat warm"
    cold = marked("when cold", when=Label.WEATHER, cold=Label.WEATHER)
    assert unconditioned(cold, cold.text) == "when cold" and unconditioned(Marked(), "warm") == "warm"


def test_words_of_a_condition_are_one_of_few_values() -> None:
    assert condition(Label.WEATHER, "when it's pouring").value == "rain"
    assert condition(Label.PURPOSE, "on the way to the office").value == "commute"
    assert condition(Label.SEASON, "when the larch turns").value == "other"
    rain, wet = condition(Label.WEATHER, "in the rain"), condition(Label.WEATHER, "when it's wet")
    assert same((rain,), (wet,)) and not same((rain,), ())


def test_a_dislike_takes_the_place_of_the_liking_and_the_other_way_round() -> None:
    maintainer = Maintainer(KeywordEncoder())
    held = Preference(
        id="p", detail=GENRES, value="jazz", sentences=("s",), conversation="c", confidence=1.0, valid_from=NOW
    )  # fmt: skip
    told = Candidate(
        detail=GENRES, value="jazz", sentence="i hate jazz", said_at=NOW, conversation="d", confidence=1.0, sense=Sense.DISLIKES
    )  # fmt: skip
    assert maintainer.decide(told, (held,)).replaced == (held,)
    again = held.model_copy(update={"sense": Sense.DISLIKES})
    assert maintainer.decide(told, (again,)).outcome is Outcome.PASS
    assert maintainer.decide(told.model_copy(update={"sense": Sense.LIKES}), (again,)).replaced == (again,)


def test_what_holds_under_another_condition_is_another_preference() -> None:
    maintainer = Maintainer(KeywordEncoder())
    morning = Condition(kind=ConditionKind.TIME_OF_DAY, value="morning", words="in the morning")
    held = Preference(
        id="p", detail="preferred_temperature", value="21 degrees", sentences=("s",), conversation="c", confidence=1.0,
        valid_from=NOW,
    )  # fmt: skip
    told = Candidate(
        detail="preferred_temperature", value="18 degrees", sentence="x", said_at=NOW, conversation="d", confidence=1.0,
        conditions=(morning,),
    )  # fmt: skip
    assert maintainer.decide(told, (held,)).outcome is Outcome.APPEND
    assert maintainer.decide(told.model_copy(update={"conditions": ()}), (held,)).replaced == (held,)


@pytest.mark.parametrize(
    ("said", "day"),
    [("till friday", 27), ("tomorrow", 24), ("until tonight", 23), ("for two days", 25), ("on the twenty sixth", 26)],
)
def test_the_end_of_a_time_is_looked_for_ahead(said: str, day: int) -> None:
    found = until(said, NOW, UTC)
    assert found is not None and (found - NOW.replace(hour=0)).days == day - 23 + 1


def test_a_number_with_a_point_is_not_cut_in_two() -> None:
    told = marked("i like 20.5 degrees", **{"5": Label.LIKES, "degrees": Label.LIKES})
    assert [part.text for part in told.parts((Label.LIKES,))] == ["20.5 degrees"]
    assert told.whole(2, 3) == (2, 4) and told.whole(0, 2) == (0, 2) and told.whole(0, 0) == (0, 0)


def test_a_fact_is_cut_out_of_its_asking() -> None:
    encoder = real()
    text = "Remember I parked on level three."
    assert asks(encoder.marks(text)) and not asks(encoder.marks("take me home"))
    made = fact(encoder, text, NOW, UTC, name="f", conversation="c")
    assert made is not None and made.text == "I parked on level three" and made.until_words == PARKED and made.parked


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Write this down, the dog's jab is due in March.", "the dog's jab is due in March"),
        ("take a note my shirt size is a sixteen", "my shirt size is a sixteen"),
        ("Pop it in your notes, the boiler was serviced in October.", "the boiler was serviced in October"),
        ("Do us a favour and store this, the pitch is row D, number eleven.", "the pitch is row D, number eleven"),
        (
            "I've got a library book under the seat, make sure I don't forget that.",
            "I've got a library book under the seat",
        ),
        ("i lent gavin my drill i'll want to know that later", "i lent gavin my drill"),
    ],
)
def test_nothing_of_the_asking_is_left_in_a_fact(said: str, kept: str) -> None:
    made = fact(real(), said, NOW, UTC, name="f", conversation="c")
    assert made is not None and made.text == kept


@pytest.mark.parametrize(
    ("said", "is_one"),
    [
        ("my locker is number forty", False),
        ("we live at fourteen elm road", False),
        ("To get in at my mother's you press star six six one, store that for next time.", True),
        ("I log in to the bank with Margaret fifty-eight, can you keep that safe?", True),
        ("The shed padlock is three eight two.", True),
        ("remember the key safe outside mum's is one nine four five", True),
        ("the wifi key is purple elephant nine", True),
        ("The three digits on the back of my Mastercard are eight one six.", True),
    ],
)
def test_what_opens_something_is_a_secret(said: str, is_one: bool) -> None:
    assert secret(real(), said) is is_one


@pytest.mark.parametrize(("told", "is_one"), [
    ("the answer to the security question is Pickles", True),
    ("my wallet's seed phrase is copper window ladder swan", True),
    ("my bank's memorable word, it's Rhubarb", True),
    ("the security word for the alarm company is penguin", True),
    ("the secret of good gravy is a spoon of Marmite", False),
    ("the phrase of the day in Welsh class was bore da", False),
    ("the bank on the high street shuts at three", False),
    ("my niece is starting at the university in Galway", False),
])  # fmt: skip
def test_a_secret_is_told_by_what_it_is_about(told: str, is_one: bool) -> None:
    assert is_secret(real(), told) is is_one


@pytest.mark.parametrize(
    ("said", "about", "told"),
    [
        ("Mom always pays cash at the pump, bless her heart.", "Mom", "Mom always pays cash at the pump"),
        ("my girlfriend's mad about sushi", "my girlfriend", "my girlfriend's mad about sushi"),
        ("My boss listens to nothing but Radio Four.", "", ""),
        ("I can't stand jazz", "", ""),
    ],
)
def test_somebody_else_s_liking_is_told_with_whose_it_is(said: str, about: str, told: str) -> None:
    assert of_others(real().marks(said)) == (about, told)


def test_whom_one_lives_with_is_close_and_whom_one_meets_is_not() -> None:
    encoder = real()
    assert all(
        is_close(encoder, who) for who in ("my nan", "Auntie Bridget", "the missus", "our Siobhan", "my old man")
    )
    assert not any(
        is_close(encoder, who) for who in ("my boss", "the lads at the club", "loads of people", "the council")
    )


def test_what_only_points_at_something_is_no_fact() -> None:
    encoder = real()
    pointing = (
        "remember that, i like this stuff when i'm driving to work", "remember that i like this one", "keep in mind i like that",
        "remember i like this when it's raining",
    )  # fmt: skip
    for said in pointing:
        assert fact(encoder, said, NOW, UTC, name="f", conversation="c") is None, said
    for said in (
        "remember that this car takes diesel",
        "remember this is the last week of school",
        "remember it's row seven",
    ):
        assert fact(encoder, said, NOW, UTC, name="f", conversation="c") is not None, said


def test_where_the_car_is_parked_is_kept_for_a_day(tmp_path: Path) -> None:
    vault = Vault.open(tmp_path, "driver", RawKey(b"k" * 32), clock=lambda: NOW)
    encoder = real()
    memory = DriverMemory("driver", vault, encoder=encoder, clock=lambda: NOW)
    try:
        memory.remember("Remember I parked on level three.")
        memory.remember("Remember I parked on level five.")
        assert [one.text for one in memory.facts()] == ["I parked on level five"] and not memory.preferences()
        decisions = memory.remember("Remember my PIN is four eight one five.")
        assert [one.outcome for one in decisions] == [Outcome.REFUSED] and len(memory.facts()) == 1
        memory.begin_trip("trip")
        assert [one.until for one in memory.facts()] == [NOW + PARKED_FOR]
        assert not memory.keeps("where have i parked then") and memory.keeps("we've parked behind the cinema")
    finally:
        memory.close()


@pytest.mark.parametrize(
    ("text", "sense"),
    [
        ("i can only take jazz before noon", Sense.LIKES),
        ("the only music i can stand is jazz", Sense.LIKES),
        ("i could really only cope with jazz", Sense.LIKES),
        ("i can only take so much jazz", Sense.DISLIKES),
        ("i can't take jazz", Sense.DISLIKES),
    ],
)
def test_the_one_thing_that_can_be_borne_is_liked_though_it_is_marked_as_disliked(text: str, sense: Sense) -> None:
    assert meaning(marked(text, jazz=Label.DISLIKES), GENRES, "jazz", "jazz").sense is sense


def test_what_is_part_of_nothing_and_what_is_a_condition_is_no_value() -> None:
    told = marked(
        "i hate garages they give me the jitters at night", garages=Label.AVOIDS, at=Label.TIME, night=Label.TIME
    )
    assert unmarked(told, "jitters") and unmarked(told, "at night") and not unmarked(told, "garages")
    assert not unmarked(told, "barge pole") and not unmarked(Marked(), "jitters")
    assert named(told, ["jitters"]) == ["garages"]


def test_words_before_a_value_that_are_surely_none_of_it_are_left_out() -> None:
    told = marked("i bear talk radio", talk=Label.LIKES, radio=Label.LIKES)
    assert named(told, ["bear talk radio"]) == ["talk radio"] and named(told, ["talk radio"]) == ["talk radio"]


def test_a_dislike_that_no_word_says_is_asked_about_as_one() -> None:
    told = meaning(
        marked("garages freak me out", garages=Label.AVOIDS), "preferred_parking_type", "garages", "parking garage"
    )
    asked = agreed(told, "preferred_parking_type", "parking garage", worded=False, praised=False)
    assert asked.sense is Sense.AVOIDS and asked.doubt > DOUBT
    assert agreed(told, "preferred_parking_type", "parking garage", worded=False, praised=True).sense is Sense.LIKES


def test_a_figure_of_speech_is_not_kept() -> None:
    extractor = Extractor(real())
    for text in ("I wouldn't go near fast food with a ten foot pole.", "I wouldn't touch fast food with a barge pole"):
        turn = Turn(speaker="driver", text=text, at=NOW)
        found = extractor.extract(Conversation(id="c", turns=(turn,)), Consent(), NOW, told=text)
        assert not {"barge pole", "ten foot pole"} & {one.value for one in (*found.candidates, *found.unsure)}
