"""LoCoMo's and GVD's files as the recall evaluations need them. Values and reading only.

LoCoMo (Maharana et al. 2024, CC BY-NC 4.0): very long dialogues of two people over many sessions, with questions and the turns
that answer them. GVD (MemoryBank, MIT): ten days of exchanges of a user with an assistant; the evidence labels are a file of their
own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from schemas.errors import EvaluationDataError

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
"""LoCoMo's official labels; some papers exchange them."""
PACE = timedelta(minutes=1)
"""Between two exchanges: the files tell the day or the hour of a session only."""
NOON = 12
ELSEWHERE = Path(__file__).with_name("elsewhere.json")
"""GVD's questions that another user's memory happens to answer ("what kind of cuisine do I like?"), and those of which it cannot be
said: read one by one on 2026-11-27 by somebody who had not seen what the program finds. Users and numbers as in GVD's files."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """What one side said and the other answered, with the names of the turns it was."""

    conversation: str
    at: datetime
    driver: str
    assistant: str
    turns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the names of the turns that answer it."""

    text: str
    evidence: tuple[str, ...]
    category: str
    time: bool = False
    """Whether it names a time."""
    elsewhere: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Names of other memories that happen to answer it, with the turns that do."""
    unclear: frozenset[str] = frozenset()
    """Names of other memories of which it cannot be said whether they answer it."""


@dataclass(frozen=True, slots=True)
class History:
    """What one memory is filled with, and what it is asked."""

    name: str
    exchanges: tuple[Exchange, ...]
    turns: tuple[tuple[str, str], ...]
    """Name and text of every turn: the chunks of the baseline."""
    questions: tuple[Question, ...]

    @property
    def after(self) -> datetime:
        """When the questions are asked: noon of the day after the last exchange."""
        last = self.exchanges[-1].at
        return last.replace(hour=NOON, minute=0) + timedelta(days=1)


def read_locomo(path: Path, limit: int | None = None) -> tuple[History, ...]:
    """The dialogues of a file, the first so many.

    Two turns after each other are an exchange, whoever speaks first; every turn begins with its speaker's name, since the
    questions name both. Pictures are left out, as is what only a picture tells. Questions without evidence are left out.

    Raises:
        EvaluationDataError: it is not such a file.
    """
    read = _json(path)
    try:
        found = tuple(_dialogue(one, f"dialogue {number + 1}") for number, one in enumerate(read[:limit]))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise EvaluationDataError(f"{path} is not a file of LoCoMo's dialogues: give its JSON") from error
    return _required(found, path)


def _dialogue(raw: Mapping[str, Any], name: str) -> History:
    talk = raw["conversation"]
    sessions = sorted(
        (key for key in talk if re.fullmatch(r"session_\d+", key)), key=lambda key: int(key.split("_")[1])
    )
    exchanges: list[Exchange] = []
    turns: list[tuple[str, str]] = []
    for session in sessions:
        at = datetime.strptime(talk[f"{session}_date_time"].upper(), "%I:%M %p ON %d %B, %Y").replace(tzinfo=UTC)
        said = [(str(turn["dia_id"]), f"{turn['speaker']}: {turn['text']}") for turn in talk[session]]
        turns += said
        for number, first in enumerate(range(0, len(said), 2)):
            pair = said[first : first + 2]
            answer = pair[1][1] if len(pair) == 2 else ""
            names = tuple(turn for turn, _ in pair)
            exchanges.append(Exchange(f"{name} {session}", at + number * PACE, pair[0][1], answer, names))
    known = {turn for turn, _ in turns}
    questions: list[Question] = []
    for one in raw["qa"]:
        evidence = tuple(part.strip() for text in one["evidence"] for part in text.split(";") if part.strip() in known)
        if evidence:
            questions.append(Question(str(one["question"]), evidence, CATEGORIES[one["category"]]))
    return History(name, tuple(exchanges), tuple(turns), tuple(questions))


def read_gvd(memory: Path, questions: Path, evidence: Path) -> tuple[History, ...]:
    """The users of a memory file, with those of their questions that the file of questions has.

    Raises:
        EvaluationDataError: a file is not what it should be, or a question has no label.
    """
    held, labels, elsewhere = _json(memory), _json(evidence), _json(ELSEWHERE)
    try:
        asked: dict[str, list[str]] = {}
        for line in questions.read_text("utf-8").splitlines():
            if line.strip():
                asked |= {str(user).strip(): list(texts) for user, texts in json.loads(line).items()}
        told = {(str(one["user"]).strip(), str(one["question"])): one for one in labels}
        found = tuple(
            _user(str(user).strip(), own["history"], asked.get(str(user).strip(), ()), told, elsewhere)
            for user, own in held.items()
        )
    except OSError as error:
        raise EvaluationDataError(f"{questions} cannot be read: {error.strerror}") from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise EvaluationDataError(f"{memory}, {questions} and {evidence} are not GVD's files, or do not fit") from error
    return _required(found, memory)


def _user(
    user: str,
    history: Mapping[str, Any],
    asked: Sequence[str],
    told: Mapping[tuple[str, str], Mapping[str, Any]],
    elsewhere: Mapping[str, Any],
) -> History:
    exchanges: list[Exchange] = []
    turns: list[tuple[str, str]] = []
    for day, said in history.items():
        at = datetime.fromisoformat(day).replace(hour=NOON, tzinfo=UTC)
        for number, one in enumerate(said):
            name = f"{day} {number}"
            exchanges.append(Exchange(f"{user} {day}", at + number * PACE, one["query"], one["response"], (name,)))
            turns.append((name, f"{one['query']} {one['response']}"))
    questions = tuple(
        Question(
            text,
            _places(told[user, text]["evidence"]),
            str(told[user, text]["kind"]),
            bool(told[user, text]["time"]),
            {
                str(one["memory"]): _places(one["evidence"])
                for one in elsewhere["answered"]
                if (one["user"], one["index"]) == (user, number)
            },
            frozenset(
                str(one["memory"]) for one in elsewhere["unclear"] if (one["user"], one["index"]) == (user, number)
            ),
        )
        for number, text in enumerate(asked)
    )
    return History(user, tuple(exchanges), tuple(turns), questions)


def _places(evidence: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Names of turns."""
    return tuple(f"{place['date']} {place['turn']}" for place in evidence)


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise EvaluationDataError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError:
        raise EvaluationDataError(f"{path} is not JSON") from None


def _required(found: tuple[History, ...], path: Path) -> tuple[History, ...]:
    if not any(one.questions for one in found) or not all(one.exchanges for one in found):
        raise EvaluationDataError(f"{path} has nothing to measure: no exchanges, or no questions with evidence")
    return found
