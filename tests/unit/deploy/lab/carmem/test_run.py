"""The two commands from end to end, over conversations that we invented and models that know a few words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deploy.cli import main
from deploy.config import Config
from deploy.lab.carmem.data import Item, read
from deploy.lab.carmem.negatives import measure as count
from deploy.lab.carmem.negatives import read as read_dialogues
from deploy.lab.carmem.parts import KeptEncoder, Parts
from deploy.lab.carmem.protocol import VARIANTS, Options, measure
from deploy.lab.report.blocks import silent
from memory.learn.extraction import ExtractionSettings
from memory.service import MemorySettings
from models.runtime.fake_encoder import KeywordEncoder
from schemas.errors import EvaluationDataError

pytestmark = pytest.mark.usefixtures("fakes")


def conversation(name: str, gold: str, *said: str, question: str, other: str) -> dict[str, Any]:
    return {
        "conversation_uuid": name,
        "user_preference": gold,
        "extraction_conversation": [turn for text in said for turn in ({"USER": text}, {"ASSISTANT": "I see."})],
        "next_conversation_question": question,
        "maintenance_questions": {
            "question_equal_preference": f"{gold.rpartition('; ')[2]} again.",
            "question_negate_preference": f"No more {gold.rpartition('; ')[2].lower()}.",
            "question_different_preference": f"{other} as well.",
            "different_attribute": other,
        },
    }


CUISINE = "Points of Interest; Restaurant; Favorite Cuisine; "
GENRE = "Entertainment and Media; Music; Favorite Genres; "
STATION = "Points of Interest; Gas Station; Preferred Gas Station; "
USERS = {
    "u1": [
        conversation("a", CUISINE + "Italian", "I love italian food.", question="food", other="Thai"),
        conversation("b", GENRE + "Jazz", "Jazz music, always.", question="music", other="Blues"),
        conversation("c", STATION + "Shell", "I fill up shell petrol.", question="petrol", other="Esso"),
    ],
    "u2": [
        conversation("d", GENRE + "Rock", "A nice day today.", question="music", other="Blues"),
        conversation(
            "e", CUISINE + "Greek", "I love greek food.", "I like shell petrol.", question="food", other="Thai"
        ),
    ],
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "users.jsonl"
    path.write_text("".join(json.dumps({"user_uuid": u, "data": d}) + "\n" for u, d in USERS.items()), "utf-8")
    return path


def told(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    return json.loads(out)


def test_carmem_from_end_to_end(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], fakes: list[Config]
) -> None:
    ids, page = tmp_path / "ids", tmp_path / "page.html"
    ids.write_text("a\nb\nd\n", "utf-8")
    arguments = [
        "--profile",
        "pi5",
        "eval",
        "carmem",
        "--data",
        str(data),
        "--ids",
        str(ids),
        "--page",
        str(page),
        "--json",
    ]
    assert main(arguments) == 0
    found = told(capsys)
    assert fakes[0].profile == "pi5"
    # a, b, c found; d missed; e found with one too many, in the same main category
    inside = found["in_schema"]
    assert inside["main"] == {"precision": 1.0, "recall": 0.8, "f1": 0.8889, "counts": [4, 0, 1]}
    assert inside["sub"] == inside["detail"] == {"precision": 0.8, "recall": 0.8, "f1": 0.8, "counts": [4, 1, 1]}
    assert inside["subset_accuracy"] == 0.6
    assert inside["attribute"]["match"] == inside["attribute"]["sentence_in_user_turn"] == 1.0
    outside = found["out_of_schema"]
    assert (outside["nothing_stored"], outside["removed_stored"], outside["spill"]) == (0.8, 0.0, 0.2)
    assert outside["spill_to"] == {"gas_station": 0.2} and outside["spill_within_main"] == 1
    # limited to a, b and d, whose store is gold
    assert found["kept"] == 3 and found["conversations"] == 5 and found["users"] == 2
    assert found["maintenance"]["equal"] == {"multi": 1.0, "single": None}  # nothing of that kind
    assert found["maintenance"]["counts"]["equal"]["multi"] == {"pass": 3}
    assert sum(found["maintenance_end_to_end"]["counts"]["equal"]["multi"].values()) == 5
    assert found["maintenance_end_to_end"]["equal"]["multi"] == 0.8  # d was never learnt
    assert found["retrieval"]["hit_n"] == 1.0
    assert found["retrieval"]["chance"] == pytest.approx(2 / 3, abs=1e-4)  # stores of 2, 2 and 1
    assert found["retrieval_all"]["chance"] == pytest.approx(0.4, abs=1e-4)  # stores of 3, 3, 3, 2 and 2
    # GPT-4o's list: a and b as we do; d they alone; c we alone; e neither
    assert found["paired"] == {"both": 2, "ours_only": 1, "theirs_only": 1, "neither": 1, "p": 1.0}
    assert found["latency_ms"]["p95"] >= found["latency_ms"]["p50"] > 0
    assert list(found["ablation"]) == list(VARIANTS)
    assert set(found["ablation"]["both"]) == {"main", "sub", "detail", "nothing_stored"}
    assert found["ablation"]["both"]["detail"] == 0.8
    assert found["intervals"]["in_schema.main.f1"][0] <= 0.8889 <= found["intervals"]["in_schema.main.f1"][1]
    written = page.read_text("utf-8")
    assert "GPT-4o" in written and written.count("<svg") == 3
    for said in ("I love", "nice day", "I see"):
        assert said not in written


def test_carmem_for_people(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "carmem", "--data", str(data), "--limit", "3", "--no-ablation"]) == 0
    out, err = capsys.readouterr()
    assert "Extraction, every category on" in out and "0.936" in out and "Ablation" not in out
    assert "in schema: 3" in err


def test_every_variant_of_the_ablation_is_a_setting() -> None:
    for changes in VARIANTS.values():
        assert ExtractionSettings(**changes)


def test_a_run_can_be_repeated(data: Path) -> None:
    def run() -> dict[str, Any]:
        parts = Parts(KeptEncoder(KeywordEncoder()), MemorySettings())
        figures = measure(parts, read(data), Options(ablation=False)).figures
        return {key: value for key, value in figures.items() if key != "latency_ms"}

    assert run() == run()


def test_data_that_is_missing_has_its_exit_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "carmem", "--data", str(tmp_path / "none"), "--json"]) == EvaluationDataError.exit_code
    assert told(capsys)["error"]["code"] == "evaluation_data"


def test_no_conversation_is_of_two_users(data: Path) -> None:
    items = read(data)
    assert all(isinstance(item, Item) for item in items) and [i.user for i in items] == ["u1"] * 3 + ["u2"] * 2


# Negatives


KVRET = [
    {"dialogue": [
        {"turn": "driver", "data": {"utterance": "where is the next shell petrol"}},
        {"turn": "assistant", "data": {"utterance": "I love italian food."}},
        {"turn": "driver", "data": {"utterance": ""}},
    ]},
    {"dialogue": [{"turn": "driver", "data": {"utterance": "what is the weather"}}]},
]  # fmt: skip
DAILY = "Nice day . __eou__ I eat thai food . __eou__\nJazz music , isn ’ t it ? __eou__ Yes . __eou__ Italian food . __eou__\n"


def test_negatives_from_end_to_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second, page = tmp_path / "driving.json", tmp_path / "daily.txt", tmp_path / "page.html"
    first.write_text(json.dumps(KVRET), "utf-8")
    second.write_text(DAILY, "utf-8")
    both = ["--data", str(first), "--data", str(second)]
    assert main(["eval", "negatives", *both, "--json", "--page", str(page)]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    # only drivers' turns: shell; jazz and italian; not the assistant's italian or the second speaker's thai
    assert (found["dialogues"], found["false_stores"], found["affected"], found["per_100"]) == (4, 3, 2, 75.0)
    assert found["by_file"][f"{tmp_path.name}/driving.json"] == {
        "form": "KVRET", "dialogues": 2, "false_stores": 1, "affected": 1, "per_100": 50.0,
        "asked": 0, "found_per_100": 50.0,
    }  # fmt: skip
    assert found["by_file"][f"{tmp_path.name}/daily.txt"]["per_100"] == 100.0
    assert [at["store_at"] for at in found["by_threshold"]][:2] == [0.1, 0.15]
    assert found["by_threshold"][0]["per_100"] == 75.0
    assert found["by_category"] == {"preferred_gas_station": 1, "favorite_genres": 1, "favourite_cuisine": 1}
    for said in ("shell", "Jazz", "italian"):
        assert said not in page.read_text("utf-8") and said not in out + err


def test_negatives_show_what_would_be_stored_only_when_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "daily.txt"
    path.write_text(DAILY, "utf-8")
    assert main(["eval", "negatives", "--data", str(path), "--show", "--limit", "2"]) == 0
    out, err = capsys.readouterr()
    assert "Jazz music, isn't it?" in err and "Jazz" not in out
    assert "False stores" in out and "per 100" in out


def test_questions_are_no_stores_but_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "daily.txt"
    path.write_text("Jazz music . __eou__\nItalian food . __eou__ Yes . __eou__ More italian food . __eou__\n", "utf-8")
    settings = MemorySettings(extraction=ExtractionSettings(store_at=1.0, ask_at=0.0))  # sure of nothing
    parts = Parts(KeptEncoder(KeywordEncoder()), settings)
    figures = count(parts, [read_dialogues(path)], silent).figures
    assert (figures["false_stores"], figures["per_100"], figures["asked"]) == (0, 0.0, 2)
    assert figures["found_per_100"] >= 100.0


@pytest.mark.parametrize("text", ["", "  \n", "[]", '[{"dialogue": []}]'])
def test_a_file_without_dialogues_is_told(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "dialogues"
    path.write_text(text, "utf-8")
    with pytest.raises(EvaluationDataError, match="holds no dialogue"):
        read_dialogues(path)
    assert main(["eval", "negatives", "--data", str(path), "--json"]) == EvaluationDataError.exit_code
    assert told(capsys)["error"]["code"] == "evaluation_data"


def test_nothing_to_measure_is_told(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parts = Parts(KeptEncoder(KeywordEncoder()), MemorySettings())
    with pytest.raises(EvaluationDataError, match="no dialogue to measure"):
        count(parts, [], silent)
    with pytest.raises(EvaluationDataError, match="no conversation to measure"):
        measure(parts, [])
    with pytest.raises(EvaluationDataError, match="leaves no conversation"):
        read(data, 0)
    talk = tmp_path / "daily.txt"
    talk.write_text(DAILY, "utf-8")
    with pytest.raises(EvaluationDataError, match="leaves no dialogue"):
        read_dialogues(talk, 0)
    nothing = tmp_path / "empty.jsonl"
    nothing.write_text("", "utf-8")
    assert main(["eval", "carmem", "--data", str(nothing), "--json"]) == EvaluationDataError.exit_code
    assert "holds no conversation" in told(capsys)["error"]["message"]


@pytest.mark.parametrize("text", ["[1]", "{}", "a dialogue without marks", "[not json"])
def test_another_form_is_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / "dialogues"
    path.write_text(text, "utf-8")
    with pytest.raises(EvaluationDataError, match="neither KVRET's JSON nor DailyDialog's text"):
        read_dialogues(path)


def test_turns_alternate_and_words_are_joined(tmp_path: Path) -> None:
    path = tmp_path / "daily.txt"
    path.write_text("I can ’ t , I ' m late . __eou__ Dogs ' toys ? __eou__ It ’ s ok ! __eou__\n", "utf-8")
    (conversation,) = read_dialogues(path).conversations
    assert [(turn.speaker, turn.text) for turn in conversation.turns] == [
        ("driver", "I can't, I'm late."),
        ("assistant", "Dogs ' toys?"),
        ("driver", "It's ok!"),
    ]
