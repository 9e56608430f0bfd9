"""Evidence recall and abstention: the files are read as they are, and the figures count what they say. All texts are made up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deploy.lab.carmem.parts import KeptEncoder, Parts
from deploy.lab.recall import data, gvd
from deploy.lab.recall import locomo as recall
from deploy.lab.recall.data import read_gvd, read_locomo
from deploy.lab.report.blocks import silent
from memory.recall.search import SearchTuning
from memory.service import MemorySettings
from models.runtime.fake_encoder import KeywordEncoder
from schemas.errors import EvaluationDataError

TALK = [
    ("Ada", "my grandmother gave me a silver necklace for graduation"), ("Ben", "what a lovely present from her"),
    ("Ada", "we planted tomatoes in the garden behind the house"), ("Ben", "mine were eaten by snails last summer"),
    ("Ada", "the marathon in the harbour was cancelled because of a storm"), ("Ben", "then you can train some more"),
]  # fmt: skip


@pytest.fixture
def parts() -> Parts:
    settings = MemorySettings(recall=SearchTuning(gate_at=0.2, gate_named_at=0.2))
    return Parts(KeptEncoder(KeywordEncoder()), settings, (("encoder", "fake"),))


@pytest.fixture
def locomo(tmp_path: Path) -> Path:
    def session(number: int) -> list[dict[str, str]]:
        own = TALK if number == 1 else [(speaker, f"{text} again") for speaker, text in TALK[:3]]
        return [{"speaker": who, "dia_id": f"D{number}:{n + 1}", "text": text} for n, (who, text) in enumerate(own)]

    asked: list[dict[str, Any]] = [
        {"question": "Who gave Ada a silver necklace?", "evidence": ["D1:1"], "category": 4},
        {"question": "What did Ada plant in the garden?", "evidence": ["D1:3; D2:3"], "category": 1},
        {"question": "What did Ben say of snails?", "evidence": ["D1:4"], "category": 5},
        {"question": "left out", "evidence": [], "category": 3},
    ]
    talk = {"speaker_a": "Ada", "speaker_b": "Ben", "session_1": session(1), "session_2": session(2),
            "session_1_date_time": "1:56 pm on 8 May, 2023", "session_2_date_time": "9:00 am on 10 May, 2023"}  # fmt: skip
    path = tmp_path / "talk.json"
    path.write_text(json.dumps([{"conversation": talk, "qa": asked}]), "utf-8")
    return path


@pytest.fixture
def users(tmp_path: Path) -> tuple[Path, Path, Path]:
    def told(*said: str) -> dict[str, Any]:
        return {"history": {"2023-05-01": [{"query": text, "response": "I see."} for text in said]}}

    memory = {"Ada": told("my sister baked a walnut cake for the wedding", "the ferry to the island was late"),
              " Ben ": told("we repaired the old bicycle with grandfather", "the choir rehearses in the chapel")}  # fmt: skip
    questions = [("Ada", "On May 1st, who baked a walnut cake?", 0), ("Ben", "Where does the choir rehearse?", 1)]
    evidence = [
        {"user": user, "index": 0, "question": text, "evidence": [{"date": "2023-05-01", "turn": turn}], "kind": "fact",
         "time": "May" in text, "answerable": True} for user, text, turn in questions
    ]  # fmt: skip
    paths = tuple(tmp_path / name for name in ("memory.json", "questions.jsonl", "evidence.json"))
    paths[0].write_text(json.dumps(memory), "utf-8")
    paths[1].write_text("\n".join(json.dumps({user: [text]}) for user, text, _ in questions), "utf-8")
    paths[2].write_text(json.dumps(evidence), "utf-8")
    return paths[0], paths[1], paths[2]


def test_dialogues_are_read_as_exchanges_with_their_turns(locomo: Path) -> None:
    (history,) = read_locomo(locomo)
    assert len(history.turns) == 9 and len(history.exchanges) == 5
    first, last = history.exchanges[0], history.exchanges[-1]
    assert first.driver == f"Ada: {TALK[0][1]}" and first.turns == ("D1:1", "D1:2") and first.at.hour == 13
    assert last.assistant == "" and last.turns == ("D2:3",) and history.after > last.at
    assert [q.category for q in history.questions] == ["single-hop", "multi-hop", "adversarial"]
    assert history.questions[1].evidence == ("D1:3", "D2:3")


def test_evidence_recall_counts_turns(parts: Parts, locomo: Path) -> None:
    told = recall.measure(parts, read_locomo(locomo), silent, ablation=True, source="talk.json")
    figures = told.figures
    assert figures["questions"] == 3 and figures["episodes"] == figures["exchanges"] == 5
    assert figures["recall_at_10"]["single-hop"] == 1.0 and figures["recall_at_10"]["overall"] == 1.0
    assert figures["recall_at_1"]["multi-hop"] <= 0.5 and figures["baseline"]["recall_at_10"]["overall"] == 1.0
    assert set(figures["ablation"]) == set(recall.ABLATIONS) and told.blocks
    assert json.loads(json.dumps(figures)) == figures


def test_a_closed_gate_finds_nothing(parts: Parts, locomo: Path) -> None:
    closed = parts.settings.model_copy(update={"recall": SearchTuning(told_at=1.0, gate_at=1.0, gate_named_at=1.0)})
    shut = Parts(parts.encoder, closed)
    told = recall.measure(shut, read_locomo(locomo), silent, ablation=False, source="talk.json").figures
    assert told["recall_at_10"]["overall"] == 0.0 and told["nothing_recalled"]["overall"] == 1.0
    assert told["above_baseline_at_10"] == -1.0 and told["ablation"] == {}


def test_users_are_asked_their_own_questions_and_the_others(parts: Parts, users: tuple[Path, Path, Path]) -> None:
    histories = read_gvd(*users)
    assert [h.name for h in histories] == ["Ada", "Ben"] and histories[0].questions[0].time
    told = gvd.measure(parts, histories, silent, ablation=False, source="memory.json").figures
    assert told["retrieval_accuracy"] == told["time_questions"] == 1.0 and told["by_place"]["1"] == 1.0
    assert told["asked"] == {"own": 2, "time": 1, "answered": 2, "unanswered": 2, "of_others": 2}
    assert told["abstention"] == told["abstention_of_others"] == told["answered"] == 1.0
    assert told["baseline"]["abstention"] is None


def test_what_another_memory_happens_to_answer_is_no_question_for_silence(
    parts: Parts, users: tuple[Path, Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "elsewhere.json"
    monkeypatch.setattr(data, "ELSEWHERE", here)
    day = next(iter(json.loads(users[0].read_text("utf-8"))[" Ben "]["history"]))
    answered = [{"user": "Ada", "index": 0, "memory": "Ben", "evidence": [{"date": day, "turn": 0}]}]
    for told_elsewhere, expected in (
        ({"answered": answered, "unclear": []}, (3, 1, 0.6667)),
        ({"answered": [], "unclear": answered}, (2, 1, 1.0)),
    ):
        here.write_text(json.dumps(told_elsewhere), "utf-8")
        told = gvd.measure(parts, read_gvd(*users), silent, ablation=False, source="memory.json").figures
        assert (told["asked"]["answered"], told["asked"]["unanswered"], told["answered"]) == expected


def test_an_open_gate_is_never_silent(parts: Parts, users: tuple[Path, Path, Path]) -> None:
    opened = parts.settings.model_copy(update={"recall": SearchTuning(gate_at=0.0, gate_named_at=0.0)})
    told = gvd.measure(Parts(parts.encoder, opened), read_gvd(*users), silent, ablation=False, source="memory.json")
    assert told.figures["abstention"] == 0.0


@pytest.mark.parametrize("text", ["[]", "{", '[{"qa": 1}]', '[{"qa": [], "conversation": {}}]'])
def test_files_of_another_form(tmp_path: Path, text: str) -> None:
    path = tmp_path / "data.json"
    path.write_text(text, "utf-8")
    with pytest.raises(EvaluationDataError):
        read_locomo(path)
    with pytest.raises(EvaluationDataError):
        read_gvd(path, path, path)
    with pytest.raises(EvaluationDataError):
        read_locomo(tmp_path / "missing")


def test_a_question_without_a_label(users: tuple[Path, Path, Path]) -> None:
    users[2].write_text("[]", "utf-8")
    with pytest.raises(EvaluationDataError):
        read_gvd(*users)
