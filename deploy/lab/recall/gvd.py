"""`eval gvd`: is a labelled exchange found, also where a question names a time, and is silence kept where nothing is known?

The data is MemoryBank's generated virtual dataset (MIT). Every question is put to the memory of its user and to those of all
other users. Of these some happen to answer it ("what kind of cuisine do i like?"): there the answer counts as it does at home, and
silence where there is none (`deploy.lab.recall.data.ELSEWHERE`); what cannot be said counts neither way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from deploy.lab.carmem.parts import Parts
from deploy.lab.recall.data import History, Question
from deploy.lab.recall.locomo import ABLATIONS
from deploy.lab.recall.store import Filled, each_way, filled
from deploy.lab.report.blocks import Dot, Dots, Progress, Report, Table
from deploy.lab.report.statistics import Ratio, share

LIMIT = 10
"""Memories asked for; the filter leaves fewer."""
PLACES = (1, 3, 5, 10)


@dataclass(frozen=True, slots=True)
class Asked:
    """One question put to one memory."""

    own: bool
    """The user's own memory, which answers it."""
    answered: bool
    """Some exchange of this memory answers it."""
    unclear: bool
    time: bool
    place: int | None
    """Where the first labelled exchange stands among what was found, from 0."""
    found: int
    """How many memories were found."""


def measure(parts: Parts, histories: Sequence[History], tell: Progress, *, ablation: bool, source: str) -> Report:
    """Ask every question of every memory, with the settings as they are, and with each part left out."""
    with filled(parts, histories) as memories:
        ours, left_out = each_way(parts, memories, tell, ABLATIONS if ablation else {}, asked)
    return _report(ours, _plain(parts, histories), left_out, histories, source, parts.facts)


def asked(memories: Sequence[Filled], tell: Progress, what: str) -> list[Asked]:
    """Every question put to every memory."""
    made: list[Asked] = []
    total = len(memories) * sum(len(one.history.questions) for one in memories)
    for asker in memories:
        for question in asker.history.questions:
            for one in memories:
                found = one.ask(question.text, LIMIT)
                name = one.history.name
                evidence = question.evidence if one is asker else question.elsewhere.get(name, ())
                place = next((n for n, memory in enumerate(found) if set(one.turns[memory.id]) & set(evidence)), None)
                own, answered = one is asker and bool(evidence), bool(evidence)
                made.append(Asked(own, answered, name in question.unclear, question.time, place, len(found)))
                tell(what, len(made), total)
    return made


def _plain(parts: Parts, histories: Sequence[History]) -> list[Asked]:
    """Plain retrieval: cosine with exchanges, the first `LIMIT`, always."""
    made: list[Asked] = []
    for history in histories:
        vectors = parts.encoder.encode([text for _, text in history.turns])
        for question in history.questions:
            made += [_plainly(parts, history, question, vectors)] if question.evidence else []
    return made


def _plainly(parts: Parts, history: History, question: Question, vectors: Any) -> Asked:
    scores = vectors @ parts.encoder.encode([question.text])[0]
    order = np.argsort(-scores, kind="stable")[:LIMIT]
    places = [place for place, row in enumerate(order) if history.turns[int(row)][0] in question.evidence]
    place = places[0] if places else None
    return Asked(own=True, answered=True, unclear=False, time=question.time, place=place, found=len(order))


def figures(run: Sequence[Asked]) -> dict[str, Any]:
    """The figures of one run."""
    own, answered, unanswered, others = _parted(run)
    time = [one for one in own if one.time]
    return {
        "retrieval_accuracy": round(_hits(own).value, 4),
        "time_questions": round(_hits(time).value, 4),
        "answered": round(_hits(answered).value, 4),
        "answered_among_3": round(_hits(answered, 3).value, 4),
        "abstention": round(share(not one.found for one in unanswered).value, 4) if unanswered else None,
        "abstention_of_others": round(share(not one.found for one in others).value, 4) if others else None,
        "by_place": {str(k): round(_hits(own, k).value, 4) for k in PLACES},
        "found_on_average": round(float(np.mean([one.found for one in own])), 2),
        "asked": {
            "own": len(own), "time": len(time), "answered": len(answered), "unanswered": len(unanswered),
            "of_others": len(others),
        },
    }  # fmt: skip


def _parted(run: Sequence[Asked]) -> tuple[list[Asked], list[Asked], list[Asked], list[Asked]]:
    """Those of the own memory that it answers, all that are answered, all that are not, and all of others' memories."""
    own, others = [one for one in run if one.own], [one for one in run if not one.own]
    answered = [one for one in run if one.answered]
    return own, answered, [one for one in others if not one.answered and not one.unclear], others


def _hits(run: Sequence[Asked], k: int = LIMIT) -> Ratio:
    return share(one.place is not None and one.place < k for one in run)


def _report(
    ours: list[Asked], plain: list[Asked], left_out: dict[str, list[Asked]], histories: Sequence[History], source: str,
    facts: tuple[tuple[str, str], ...],
) -> Report:  # fmt: skip
    own, answered, unanswered, _ = _parted(ours)
    time = [one for one in own if one.time]
    ratios = {
        "retrieval_accuracy": _hits(own), "time_questions": _hits(time), "answered": _hits(answered),
        "abstention": share(not one.found for one in unanswered),
    }  # fmt: skip
    intervals = {name: ratio.interval([*range(len(ratio.below))]) for name, ratio in ratios.items()}
    counted = {
        **figures(ours),
        "users": len(histories),
        "intervals": {name: [round(end, 4) for end in interval] for name, interval in intervals.items()},
        "baseline": figures(plain),
        "ablation": {name: figures(run) for name, run in left_out.items()},
    }
    runs = (("as shipped", ours), *((name.replace("_", " "), run) for name, run in left_out.items()), ("plain", plain))
    table = Table(
        "GVD",
        (
            "run",
            "retrieval accuracy",
            "time questions",
            "answered",
            "abstention",
            *(f"among {k}" for k in PLACES),
            "found",
        ),
        tuple(_row(name, figures(run)) for name, run in runs),
        "Plain: cosine of exchanges, the first ten, always. Answered: with the questions of others that this memory answers, too. "
        "Abstention: questions of others that it does not answer.",
    )
    goals = {"time_questions": 0.9, "answered": 0.9, "abstention": 0.95}
    dots = Dots(
        "GVD",
        tuple(
            Dot(name.replace("_", " "), ratio.value, intervals[name], None, goals.get(name))
            for name, ratio in ratios.items()
        ),
    )
    return Report(
        title="Recall and abstention on GVD",
        lead=f"{source}: {len(histories)} users, {len(own)} questions, each also asked of the others' memories.",
        figures=counted,
        blocks=(table, dots),
        facts=(("answered", str(len(answered))), ("not answered", str(len(unanswered))), *facts),
    )


def _row(name: str, made: dict[str, Any]) -> tuple[str | float | int | None, ...]:
    places = tuple(float(share) for share in made["by_place"].values())
    return (
        name,
        made["retrieval_accuracy"],
        made["time_questions"],
        made["answered"],
        made["abstention"],
        *places,
        made["found_on_average"],
    )
