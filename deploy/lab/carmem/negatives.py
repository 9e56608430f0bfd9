"""Conversations in which nothing may be stored: how much is stored all the same.

Owns reading KVRET's JSON and DailyDialog's text, told apart by content, and the count. Everything is consented to, the sensitive
categories too. The data sets may not be passed on: no word of a dialogue is in a report.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from deploy.lab.carmem.extraction import EVERYTHING, NOW, THRESHOLDS
from deploy.lab.carmem.parts import Parts
from deploy.lab.report.blocks import Cell, Plot, Progress, Report, Series, Table
from deploy.lab.report.published import NEGATIVES_GOAL
from deploy.lab.report.statistics import share
from memory.learn.extraction import Extractor
from schemas.errors import EvaluationDataError
from schemas.memory import Candidate, Conversation, Turn
from schemas.preferences import BY_DETAIL

TURN_END = "__eou__"
"""DailyDialog's mark after every turn; its first speaker is taken for the driver, turns alternate."""
_APOSTROPHE = re.compile(r"(?<=\w) ?['’] ?(?=(?:s|t|m|d|re|ve|ll)\b)")
_BEFORE_MARK = re.compile(r" +(?=[,.;:!?])")


@dataclass(frozen=True, slots=True)
class Dialogues:
    """A file of dialogues."""

    name: str
    form: str
    conversations: tuple[Conversation, ...]


Kept: TypeAlias = tuple[Candidate, ...]
"""What would be stored from one dialogue, or asked about."""

Show: TypeAlias = Callable[[str, int, Candidate], None]
"""Told the file, the number of the dialogue and what would be stored."""


def hidden(file: str, number: int, candidate: Candidate) -> None:
    """A `Show` that keeps all words inside."""
    del file, number, candidate


def read(path: Path, limit: int | None = None) -> Dialogues:
    """The dialogues of a file.

    Args:
        path: KVRET's JSON list, or text with a dialogue a line whose turns end in ``__eou__``.
        limit: only so many, from the top.

    Raises:
        EvaluationDataError: the file is missing, has neither form or is empty, or the limit leaves nothing.
    """
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise EvaluationDataError(f"{path} cannot be read: {error.strerror}; check the path") from None
    except UnicodeDecodeError:
        raise EvaluationDataError(f"{path} is not UTF-8 text; is it the right file?") from None
    try:
        form, dialogues = (
            ("KVRET", _kvret(text)) if text.lstrip().startswith("[") else ("DailyDialog", _dailydialog(text))
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        dialogues = []
        form = ""
    empty = bool(form) and not any(dialogues) and (not text.strip() or form == "KVRET")
    dialogues = [turns for turns in dialogues if turns]
    if empty:
        raise EvaluationDataError(f"{path} holds no dialogue; give KVRET's JSON or DailyDialog's text to --data")
    if limit is not None and limit < 1:
        raise EvaluationDataError(f"a limit of {limit} leaves no dialogue; give at least 1")
    if not dialogues:
        raise EvaluationDataError(
            f"{path} is neither KVRET's JSON nor DailyDialog's text (a dialogue a line, {TURN_END} after each turn)"
        )
    return Dialogues(
        name=f"{path.absolute().parent.name}/{path.name}",
        form=form,
        conversations=tuple(
            Conversation(
                id=str(number), turns=tuple(Turn(speaker=speaker, text=text, at=NOW) for speaker, text in turns)
            )
            for number, turns in enumerate(dialogues[:limit], start=1)
        ),
    )


def measure(parts: Parts, files: Sequence[Dialogues], tell: Progress, show: Show = hidden) -> Report:
    """Count what would be stored from dialogues that hold nothing to store.

    Args:
        parts: encoder, thresholds.
        files: dialogues.
        tell: progress.
        show: told everything that would be stored.

    Raises:
        EvaluationDataError: there is no dialogue at all.
    """
    if not any(file.conversations for file in files):
        raise EvaluationDataError("there is no dialogue to measure; give a file that holds some to --data")
    extractor = Extractor(parts.encoder, parts.settings.extraction)
    stored: list[list[Kept]] = []
    asked: list[list[Kept]] = []
    for file in files:
        found: list[Kept] = []
        questions: list[Kept] = []
        stored.append(found)
        asked.append(questions)
        what = f"{file.name} ({file.form})"
        tell(what, 0, len(file.conversations))
        for number, conversation in enumerate(file.conversations, start=1):
            extraction = extractor.extract(conversation, EVERYTHING, NOW)
            found.append(tuple(candidate for candidate in extraction.candidates if not candidate.negated))
            questions.append(tuple(candidate for candidate in extraction.unsure if not candidate.negated))
            for candidate in found[-1]:
                show(file.name, number, candidate)
            tell(what, number, len(file.conversations))
    return _report(parts, files, stored, asked)


def _report(
    parts: Parts, files: Sequence[Dialogues], stored: Sequence[list[Kept]], asked: Sequence[list[Kept]]
) -> Report:
    everything = [candidates for found in stored for candidates in found]
    by_category = Counter(candidate.detail for candidates in everything for candidate in candidates)
    questions = [candidates for found in asked for candidates in found]
    by_file = {
        file.name: {"form": file.form, **_counts(found, unsure)}
        for file, found, unsure in zip(files, stored, asked, strict=True)
    }
    affected = share(bool(candidates) for candidates in everything)
    low, high = affected.interval(range(len(everything)))
    confidences = [c.confidence for candidates in (*everything, *questions) for c in candidates]
    by_threshold = [
        (threshold, 100.0 * sum(c >= threshold for c in confidences) / len(everything)) for threshold in THRESHOLDS
    ]
    figures: dict[str, Any] = {
        **_counts(everything, questions),
        "affected_share": round(affected.value, 4),
        "by_file": by_file,
        "by_category": dict(by_category.most_common()),
        "by_threshold": [{"store_at": at, "per_100": round(count, 3)} for at, count in by_threshold],
        "intervals": {"affected_share": [round(low, 4), round(high, 4)]},
    }
    columns = ("dialogues", "false_stores", "affected", "per_100", "asked", "found_per_100")
    rows: list[tuple[Cell, ...]] = [
        (f"{name} ({counts['form']})", *(counts[column] for column in columns)) for name, counts in by_file.items()
    ]
    rows.append(("all", *(figures[column] for column in columns)))
    return Report(
        title="Dialogues without a preference",
        lead=f"What would be stored from {len(everything)} dialogues in which nothing may be, everything consented to.",
        figures=figures,
        blocks=(
            Table(
                "False stores",
                (
                    "file",
                    "dialogues",
                    "false stores",
                    "dialogues affected",
                    "per 100 dialogues",
                    "dialogues with a question",
                    "per 100, questions too",
                ),
                tuple(rows),
                f"Stored without asking; goal: at most {NEGATIVES_GOAL:g} per 100 dialogues. The last column also counts what the "
                "driver would be asked about, as the protocol of CarMem does. "
                "Everyday dialogues hold tastes that people do state (docs/evaluation.md): some of what is counted is what a "
                "driver would want remembered.",
            ),
            Table(
                "By category",
                ("category", "false stores"),
                tuple((BY_DETAIL[detail].title, count) for detail, count in by_category.most_common()),
            ),
            Plot(
                "Storing without asking, from which confidence on",
                "store_at",
                "false stores per 100 dialogues",
                (
                    Series("measured", tuple(by_threshold), "line"),
                    Series(
                        "goal", ((THRESHOLDS[0], NEGATIVES_GOAL), (THRESHOLDS[-1], NEGATIVES_GOAL)), "line", dashed=True
                    ),
                ),
                x_range=(0.0, 1.0),
                note="What another confidence from which on the assistant stores without asking would give.",
            ),
        ),
        facts=(("data", ", ".join(f"{file.name} ({file.form})" for file in files)), *parts.facts),
    )


def _counts(found: Sequence[Kept], questions: Sequence[Kept]) -> dict[str, Any]:
    stores, asked = (sum(len(candidates) for candidates in one) for one in (found, questions))
    return {
        "dialogues": len(found),
        "false_stores": stores,
        "affected": sum(bool(candidates) for candidates in found),
        "per_100": _per_100(stores, found),
        "asked": sum(bool(candidates) for candidates in questions),
        "found_per_100": _per_100(stores + asked, found),
    }


def _per_100(count: int, dialogues: Sequence[Kept]) -> float:
    return round(100.0 * count / len(dialogues), 3) if dialogues else 0.0


def _kvret(text: str) -> list[list[tuple[str, str]]]:
    return [
        [
            ("driver" if turn["turn"] == "driver" else "assistant", str(turn["data"]["utterance"]).strip())
            for turn in one["dialogue"]
            if str(turn["data"]["utterance"]).strip()
        ]
        for one in json.loads(text)
    ]


def _dailydialog(text: str) -> list[list[tuple[str, str]]]:
    dialogues: list[list[tuple[str, str]]] = []
    for line in text.splitlines():
        if TURN_END in line:
            turns = [_joined(turn) for turn in line.split(TURN_END)]
            dialogues.append([
                ("assistant" if number % 2 else "driver", turn) for number, turn in enumerate(turns) if turn
            ])  # fmt: skip
    return dialogues


def _joined(turn: str) -> str:
    """A turn as it is written and said: the file divides words from marks (``isn ’ t it ?``)."""
    return _BEFORE_MARK.sub("", _APOSTROPHE.sub("'", turn)).strip()
