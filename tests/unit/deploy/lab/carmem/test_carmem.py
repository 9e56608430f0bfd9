from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from deploy.lab.carmem import extraction as carmem_extraction
from deploy.lab.carmem import maintenance as carmem_maintenance
from deploy.lab.carmem import store as carmem_store
from deploy.lab.carmem.data import DETAILS, Item, category, read, read_ids
from deploy.lab.carmem.extraction import NOW, Reading, against, in_schema, out_of_schema
from deploy.lab.carmem.maintenance import Maintenance, one
from deploy.lab.carmem.parts import KeptEncoder, Parts
from deploy.lab.carmem.protocol import confusion
from deploy.lab.carmem.retrieval import retrieval
from deploy.lab.report.blocks import silent
from memory.learn.english.canonical import Canon
from memory.learn.extraction import Extraction
from memory.learn.maintenance import Maintainer, Ruling
from models.runtime.fake_encoder import KeywordEncoder
from schemas.errors import EvaluationDataError
from schemas.memory import Candidate, Outcome, Preference
from schemas.preferences import BY_DETAIL, CATEGORIES

DATA = Path(os.environ.get("GLOVEBOX_DATA", Path(__file__).parents[6] / "shared" / "data")) / "carmem"


def item(
    detail: str = "favourite_cuisine", attribute: str = "Italian", *, name: str = "c", user: str = "u", **more: Any
) -> Item:
    facts: dict[str, Any] = {
        "turns": (("driver", "Hello there. I love italian food."), ("assistant", "Noted."), ("driver", "Thanks.")),
        "question": "food", "equal": "italian food", "negate": "no more italian food", "different": "thai food too",
        "different_attribute": "Thai",
    }  # fmt: skip
    return Item(id=name, user=user, gold=BY_DETAIL[detail], attribute=attribute, **{**facts, **more})


def candidate(detail: str, value: str = "v", *, negated: bool = False, sentence: str = "s") -> Candidate:
    return Candidate(
        detail=detail, value=value, sentence=sentence, said_at=NOW, conversation="c", confidence=0.8, negated=negated
    )


def reading(gold: str, *found: str, user: str = "u") -> Reading:
    """A reading in which these details were found; one with ``-`` before it is negated."""
    made = tuple(candidate(one.lstrip("-"), negated=one.startswith("-")) for one in found)
    return Reading(item(gold, user=user), Extraction(made), 0.01)


def parts() -> Parts:
    return Parts(KeptEncoder(KeywordEncoder()))


# The data


def line(**changes: Any) -> str:
    one = {
        "conversation_uuid": "c1",
        "user_preference": "Points of Interest; Restaurant; Favorite Cuisine; Italian",
        "extraction_conversation": [{"USER": "I love italian food."}, {"ASSISTANT": "Noted."}],
        "next_conversation_question": "Where to eat?",
        "maintenance_questions": {
            "question_equal_preference": "Italian, please.", "question_negate_preference": "No more italian.",
            "question_different_preference": "Thai, too.", "different_attribute": "Thai",
        },
        **changes,
    }  # fmt: skip
    return json.dumps({"user_uuid": "u1", "data": [one]})


def test_a_user_is_read(tmp_path: Path) -> None:
    path = tmp_path / "users.jsonl"
    path.write_text(line() + "\n\n" + line(conversation_uuid="c2") + "\n", "utf-8")
    first, second = read(path)
    assert (first.id, second.id, first.user) == ("c1", "c2", "u1")
    assert first.gold.detail == "favourite_cuisine" and first.attribute == "Italian"
    assert first.turns == (("driver", "I love italian food."), ("assistant", "Noted."))
    assert first.driver_texts() == ("I love italian food.",)
    assert (first.negate, first.different_attribute) == ("No more italian.", "Thai")
    assert len(read(path, 1)) == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "holds no conversation"),
        ("{}", "data is missing"),
        ("not json", "line 1"),
        (line(user_preference="Points of Interest; Restaurant; Favorite Colour; secret"), "does not have"),
        (line(user_preference="Entertainment and Media; Music; Favorite Cuisine; secret"), "does not have"),
        (line(user_preference="only; three; parts secret"), "line 1"),
    ],
)
def test_another_form_is_told_without_its_words(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "users.jsonl"
    path.write_text(text, "utf-8")
    with pytest.raises(EvaluationDataError, match=says) as told:
        read(path)
    assert "secret" not in str(told.value)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(EvaluationDataError, match="cannot be read"):
        read(tmp_path / "none.jsonl")


def test_titles_lead_to_our_categories_in_order() -> None:
    assert len(DETAILS) == 41 <= len(CATEGORIES)
    assert category("Points of Interest", "Restaurant", DETAILS[0]).path == CATEGORIES[0].path
    assert category("Navigation and Routing", "Routing", "Tolerance for Traffic").detail == "tolerance_for_traffic"
    charging = "Preferred type of Charging when being at everyday points (f.e. work, grocery, restaurant)"
    found = category("Points of Interest", "Charging Station(in public)", charging)
    assert found.detail == "preferred_type_of_charging_at_everyday_points"
    assert (
        category("Entertainment and Media", "Radio and Podcasts", "General News Source").detail == "general_news_source"
    )


def test_the_data_sets_categories_are_ours() -> None:
    path = DATA / "categories_v4.csv"
    if not path.is_file():
        pytest.skip("the evaluation data is not here (GLOVEBOX_DATA)")
    rows = [row.split("#") for row in path.read_text("utf-8").splitlines()[1:]]
    assert [(row[3], row[2] == "MP") for row in rows] == [
        (title, one.multi) for title, one in zip(DETAILS, CATEGORIES, strict=True)
    ]
    for row, ours in zip(rows, CATEGORIES, strict=True):
        assert category(row[0], row[1], row[3]) is ours


def test_ids_as_lines_or_json(tmp_path: Path) -> None:
    items = [item(name="a"), item(name="b")]
    path = tmp_path / "ids"
    path.write_text("a\nother\n", "utf-8")
    assert read_ids(path, items) == {"a"}
    path.write_text('["b", "a"]', "utf-8")
    assert read_ids(path, items) == {"a", "b"}
    path.write_text("other", "utf-8")
    with pytest.raises(EvaluationDataError, match="other half"):
        read_ids(path, items)
    path.write_text("[a", "utf-8")
    with pytest.raises(EvaluationDataError, match="JSON list"):
        read_ids(path, items)


# Extraction


def test_in_schema_scores_by_hand() -> None:
    scores = in_schema([
        reading("favourite_cuisine", "favourite_cuisine"),
        reading("favourite_cuisine", "fast_food_preference"),  # right main and sub, wrong detail
        reading("tolerance_for_traffic", "tolerance_for_traffic", "favorite_genres"),  # one too many at every level
        reading("favorite_genres"),  # nothing
        reading("favorite_genres", "-favorite_genres"),  # taken back: nothing is stored
        reading("favourite_cuisine", "favourite_cuisine", "fast_food_preference"),  # two details collapse above
    ])  # fmt: skip
    assert scores.main.counts == (4, 1, 2)
    assert scores.sub.counts == (4, 1, 2)
    assert scores.detail.counts == (3, 3, 3)
    assert scores.detail.f1.value == 0.5
    assert scores.main.f1.value == pytest.approx(8 / 11)
    assert scores.detail.exact.value == pytest.approx(1 / 6)


def test_a_song_counts_as_its_artist() -> None:
    scores = in_schema([
        reading("favorite_songs", "favorite_artists_or_bands"),
        reading("favorite_songs", "favorite_songs", "favorite_artists_or_bands"),
        reading("favorite_artists_or_bands", "favorite_songs"),
    ])  # fmt: skip
    assert scores.detail.counts == (3, 0, 0) and scores.detail.exact.value == 1.0
    assert reading("favorite_songs", "favorite_artists_or_bands").exact


def test_questions_and_true_answers_by_hand() -> None:
    def unsure(gold: str, *found: str, asked: tuple[str, ...]) -> Reading:
        made = reading(gold, *found)
        questions = tuple(candidate(one.lstrip("-"), negated=one.startswith("-")) for one in asked)
        return Reading(made.item, Extraction(made.extraction.candidates, questions), 0.0)

    readings = [
        unsure("favorite_genres", asked=("favorite_genres",)),  # yes
        unsure("favorite_genres", asked=("tolerance_for_traffic",)),  # no
        unsure("favorite_songs", asked=("favorite_artists_or_bands", "favorite_genres")),  # yes, no
        unsure("favorite_genres", "tolerance_for_traffic", asked=("-favorite_genres",)),  # nothing to ask
    ]
    assert in_schema(readings).detail.counts == (2, 3, 2)
    assert in_schema(carmem_extraction.unasked(readings)).detail.counts == (0, 1, 4)
    held = out_of_schema(readings)
    assert (held.nothing_stored.value, held.nothing_unasked.value) == (0.0, 0.75)
    assert carmem_extraction.answered(readings).detail.counts == (2, 1, 2)
    asked = carmem_extraction.asked(readings)
    assert (asked["conversations"].value, asked["right"].value) == (0.75, 0.5)
    assert out_of_schema(readings).asked.value == 0.75
    assert carmem_extraction.confidences(readings[:1]) == [(0.8, True)]
    assert in_schema(carmem_extraction.stored_from(readings, 0.8)).detail.counts == (
        2,
        3,
        2,
    )  # all but what was taken back
    assert in_schema(carmem_extraction.stored_from(readings, 0.81)).detail.counts == (0, 0, 4)
    assert confusion(readings[:1]) == ()
    assert confusion(readings[1:2]) == (("favorite_genres", "tolerance_for_traffic", 1),)


def test_out_of_schema_by_hand() -> None:
    held = out_of_schema([
        reading("favourite_cuisine"),
        reading("favourite_cuisine", "-tolerance_for_traffic"),
        reading("favourite_cuisine", "preferred_gas_station", "preferred_supermarket_chain"),
        reading("tolerance_for_traffic", "favorite_genres", "favorite_songs"),
        reading("favourite_cuisine", "favourite_cuisine"),
    ])  # fmt: skip
    assert held.nothing_stored.value == 0.4
    assert held.removed_stored.value == 0.2
    assert held.spill.value == 0.4
    assert held.spill_to == {"gas_station": 0.2, "grocery_shopping": 0.2, "music": 0.2}
    assert (held.same_main, held.other_main) == (2, 1)


def test_an_opt_out_keeps_the_gold_sub_category_out() -> None:
    items = [item(), item("favorite_genres", "Jazz", turns=(("driver", "jazz music"), ("driver", "shell petrol")))]
    inside = carmem_extraction.read_in_schema(parts(), items, silent, what="in")
    outside = carmem_extraction.read_out_of_schema(parts(), items, silent, what="out")
    assert [sorted(c.detail for c in r.stored) for r in inside] == [
        ["favourite_cuisine"],
        ["favorite_genres", "preferred_gas_station"],
    ]
    assert [[c.detail for c in r.stored] for r in outside] == [[], ["preferred_gas_station"]]


def test_sensitive_categories_are_on() -> None:
    vegan = item("dietary_preference", "Vegan", turns=(("driver", "I am vegan"),))
    (found,) = carmem_extraction.read_in_schema(parts(), [vegan], silent, what="in")
    assert found.exact


def test_values_and_sentences_by_hand() -> None:
    right = Reading(
        item(), Extraction((candidate("favourite_cuisine", "italian", sentence="I love italian food."),)), 0.0
    )
    wrong = Reading(item(), Extraction((candidate("favourite_cuisine", "thai", sentence="Invented."),)), 0.0)
    missed = Reading(item(), Extraction((candidate("favorite_genres", "italian"),)), 0.0)
    found = carmem_extraction.attributes(parts(), [right, wrong, missed])
    assert {name: ratio.value for name, ratio in found.items()} == {
        "match": 0.5, "sentence_in_user_turn": 0.5, "in_conversation": 1.0, "in_user_turns": 1.0, "in_sentence": 0.5,
    }  # fmt: skip


def test_the_paired_comparison() -> None:
    readings = [
        Reading(item(name="a"), Extraction((candidate("favourite_cuisine"),)), 0.0),
        Reading(item(name="b"), Extraction(), 0.0),
    ]
    pair = against(readings, frozenset(("b",)))
    assert (pair.both, pair.ours_only, pair.theirs_only, pair.neither) == (0, 1, 1, 0)


def test_confusions_are_counted() -> None:
    readings = [
        reading("favorite_genres", "favorite_songs"), reading("favorite_genres", "favorite_songs", "favorite_genres"),
        reading("tolerance_for_traffic"), reading("favourite_cuisine", "favourite_cuisine"),
    ]  # fmt: skip
    assert confusion(readings) == (
        ("favorite_genres", "favorite_songs", 2),
        ("tolerance_for_traffic", "(nothing)", 1),
    )


# Maintenance


def test_accuracy_by_cell() -> None:
    found = Maintenance()
    multi, single = item(), item("tolerance_for_traffic", "Low")
    for outcome in (Outcome.PASS, Outcome.APPEND, Outcome.PASS, Outcome.PASS):
        found.add("equal", multi, outcome)
    for outcome in (Outcome.APPEND, Outcome.UPDATE, Outcome.PASS, Outcome.APPEND):
        found.add("different", multi, outcome)
    for outcome in (Outcome.UPDATE, Outcome.APPEND):
        found.add("different", single, outcome)
    found.add("negate", single, Outcome.UPDATE)
    found.add("negate", multi, carmem_maintenance.NOTHING)
    assert found.accuracy("equal", multi=True).value == 0.75
    assert found.accuracy("different", multi=True).value == 0.5
    assert found.lenient().value == 0.75
    assert found.accuracy("different", multi=False).value == 0.5
    assert found.accuracy("negate", multi=False).value == 1.0
    assert found.accuracy("negate", multi=True).value == 0.0
    assert found.accuracy("equal", multi=False).value == 0.0
    assert found.counts("equal", multi=True) == {"pass": 3, "append": 1}


def test_what_ends_and_what_takes_its_place_are_one() -> None:
    gone, here = candidate("favorite_genres", "jazz", negated=True), candidate("favorite_genres", "blues")
    assert one([gone, here]) == here and one([gone]) == gone and one([]) is None
    assert one([here, candidate("favorite_songs")]) is None
    assert one([gone, candidate("favorite_songs")]) is None


def test_the_protocols_setting_and_end_to_end() -> None:
    items = [
        item(name="a"),
        item(name="b", attribute="Greek", turns=(("driver", "I say nothing of it."),), negate="what a day"),
        item("preferred_temperature", "18 degrees", name="c", turns=(("driver", "18 degrees temperature"),),
             equal="18 degrees", negate="not 18 degrees any more", different="20", different_attribute="20 degrees"),
    ]  # fmt: skip
    made = parts()
    first = carmem_maintenance.protocol(made, items, silent)
    assert first.counts("equal", multi=True) == {"pass": 2}
    assert first.counts("negate", multi=True) == {"update": 1} and first.left_out[True] == 1
    assert first.counts("different", multi=False) == {"update": 1}
    whole = carmem_maintenance.end_to_end(made, items, silent)
    # greek was never learnt: what equals it is new to the store
    assert whole.counts("equal", multi=True) == {"pass": 1, "append": 1}
    assert whole.counts("negate", multi=True) == {"update": 1, "nothing": 1}
    assert whole.counts("equal", multi=False) == {"pass": 1}
    assert whole.accuracy("negate", multi=False).value == 1.0


# Retrieval


def test_the_best_sentence_holds_the_value() -> None:
    told = item(turns=(("driver", "Good morning! I love italian food. What a day."),))
    assert carmem_store.best_sentence(parts(), told) == "I love italian food."
    hinted = item(turns=(("driver", "Good morning! A petrol stop. My favourite cuisine is from Rome."),))
    assert carmem_store.best_sentence(parts(), hinted) == "My favourite cuisine is from Rome."
    assert carmem_store.best_sentence(parts(), item(turns=())) == "Italian"


def test_retrieval_by_hand() -> None:
    items = [
        item(name="a", question="italian food"),
        item(name="b", attribute="Thai", turns=(("driver", "thai food"),), question="jazz music"),
        item("favorite_genres", "Jazz", name="c", turns=(("driver", "jazz music"),), question="jazz music"),
        item(name="d", user="v", question="anything"),
    ]
    found = retrieval(parts(), items, silent, what="r")
    # a: first of two in its sub category; b: behind jazz, n = 2; c: first, n = 1; d: the only one
    assert found.users == ("u", "u", "u", "v")
    assert found.hits["n"].above[0] == 1.0 and found.hits["n"].above[2:] == (1.0, 1.0)
    assert found.hits["n1"].value == 1.0
    assert found.chances["n"].above == pytest.approx((2 / 3, 2 / 3, 1 / 3, 1.0))
    assert found.chances["n1"].above == pytest.approx((1.0, 1.0, 2 / 3, 1.0))
    assert found.subcategory_share["n"].above[2:] == (1.0, 1.0)
    assert found.subcategory_share["n2"].above[2] == pytest.approx(1 / 3)


# What is asked once


def test_the_encoder_is_asked_once_unless_timed() -> None:
    asked: list[str] = []

    class Counting(KeywordEncoder):
        def topics(self, text: str) -> dict[str, float]:
            asked.append(text)
            return super().topics(text)

    kept = KeptEncoder(Counting())
    assert kept.topics("jazz") == kept.topics("jazz") == KeywordEncoder().topics("jazz")
    assert asked == ["jazz"]
    kept.afresh = True
    kept.topics("jazz")
    assert asked == ["jazz", "jazz"]
    assert (kept.encode(["a", "b"]) == KeywordEncoder().encode(["a", "b"])).all()
    assert kept.encode([]).shape == (0, kept.dimension)


def test_values_enter_maintenance_as_the_memory_writes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[str, list[str]]] = []

    class Noting(Maintainer):
        def decide(self, candidate: Candidate, existing: Sequence[Preference]) -> Ruling:
            compared.append((candidate.value, [one.value for one in existing]))
            return super().decide(candidate, existing)

    monkeypatch.setattr(carmem_maintenance, "Maintainer", Noting)
    carmem_maintenance.protocol(parts(), [item()], silent)
    assert Canon(KeywordEncoder()).canonical("favourite_cuisine", "Italian", "Italian") == "italian"
    assert compared[0] == ("italian", ["italian"])
