"""`eval recall`: is the turn that answers a question among the first that memory finds? LoCoMo, evidence recall@k.

The questions are put to the memory's own search over episodes that its own path has made. k counts turns: the turns of what was
found, in the order in which it was found, up to k of them; an exchange has two. Beside it plain retrieval with the same encoder:
every turn a chunk that begins with its speaker's name, by cosine alone, without a gate; it encodes one text a turn, the memory one
an exchange, half as many.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from deploy.lab.carmem.parts import Parts
from deploy.lab.recall.data import CATEGORIES, History
from deploy.lab.recall.store import Filled, each_way, filled
from deploy.lab.report.blocks import Dot, Dots, Progress, Report, Table
from deploy.lab.report.statistics import Ratio
from memory.recall.search import SearchTuning

KS = (1, 5, 10)
LIMIT = max(KS)
ADVERSARIAL = CATEGORIES[5]

ABLATIONS: dict[str, dict[str, Any]] = {
    "without_gate": {"gate_at": 0.0, "gate_named_at": 0.0},
    "by_company_alone": {"told_at": 1.0},
    "by_each_alone": {"gate_at": 1.0, "gate_named_at": 1.0},
    "without_decay": {"decays": False},
    "without_tags": {"tag_weight": 0.0},
    "without_links": {"links": False},
    "without_words": {"words_weight": 0.0},
    "without_neighbours": {"before_weight": 0.0, "after_weight": 0.0},
}
"""What is left out, and how. Links are those that thinking about episodes makes."""


@dataclass(frozen=True, slots=True)
class Answered:
    """One question: the share of its evidence among the first k, for each of `KS`."""

    dialogue: str
    category: str
    shares: tuple[float, ...]
    within: float
    """Share of its evidence in any of the `LIMIT` memories found, whatever number of turns they have."""
    silent: bool
    """Nothing was found."""


def measure(parts: Parts, histories: Sequence[History], tell: Progress, *, ablation: bool, source: str) -> Report:
    """Ask every question, with the settings as they are, and with each part left out."""
    with filled(parts, histories) as memories:
        ours, left_out = each_way(parts, memories, tell, ABLATIONS if ablation else {}, answers)
        episodes = sum(len(one.turns) for one in memories)
    turns = _plain(parts, histories, exchanges=False)
    pairs = _plain(parts, histories, exchanges=True)
    runs = _Runs(ours, turns, pairs, left_out)
    return _report(parts.settings.recall, runs, histories, episodes, (source, parts.facts))


def answers(memories: Sequence[Filled], tell: Progress, what: str) -> list[Answered]:
    """Every question put to its memory."""
    found: list[Answered] = []
    total = sum(len(one.history.questions) for one in memories)
    for one in memories:
        for question in one.history.questions:
            memories_found = one.ask(question.text, LIMIT)
            named = one.named(memories_found)
            evidence = question.evidence
            found.append(
                Answered(
                    one.history.name,
                    question.category,
                    tuple(_share(evidence, named[:k]) for k in KS),
                    _share(evidence, named),
                    not memories_found,
                )
            )
            tell(what, len(found), total)
    return found


def _plain(parts: Parts, histories: Sequence[History], *, exchanges: bool) -> list[Answered]:
    """Plain retrieval: cosine of the question with chunks, which are turns or exchanges."""
    found: list[Answered] = []
    for history in histories:
        chunks = (
            [(e.turns, f"{e.driver} {e.assistant}".strip()) for e in history.exchanges] if exchanges
            else [((name,), text) for name, text in history.turns]
        )  # fmt: skip
        vectors = parts.encoder.encode([text for _, text in chunks])
        for question in history.questions:
            scores = vectors @ parts.encoder.encode([question.text])[0]
            order = np.argsort(-scores, kind="stable")[:LIMIT]
            named = [turn for place in order for turn in chunks[int(place)][0]]
            shares = tuple(_share(question.evidence, named[:k]) for k in KS)
            found.append(
                Answered(history.name, question.category, shares, _share(question.evidence, named), silent=False)
            )
    return found


def _share(evidence: Sequence[str], named: Sequence[str]) -> float:
    return sum(turn in named for turn in evidence) / len(evidence)


def at(answered: Sequence[Answered], k: int, category: str | None = None) -> Ratio:
    """Evidence recall@k, of all questions or of a category's; ``answerable`` is all but the adversarial ones."""
    place = KS.index(k)
    kept = [one.shares[place] for one in answered if _counts(one, category)]
    return Ratio(tuple(kept), (1.0,) * len(kept))


def _counts(one: Answered, category: str | None) -> bool:
    return category in (None, one.category) or (category == "answerable" and one.category != ADVERSARIAL)


def figures(answered: Sequence[Answered]) -> dict[str, Any]:
    """The figures of one run: by k, then overall, answerable and each category."""
    groups: dict[str, str | None] = {"overall": None, "answerable": "answerable", **{c: c for c in CATEGORIES.values()}}
    made: dict[str, Any] = {}
    for k in KS:
        made[f"recall_at_{k}"] = {
            name: round(at(answered, k, category).value, 4)
            for name, category in groups.items() if any(_counts(one, category) for one in answered)
        }  # fmt: skip
    made["recall_in_10_memories"] = round(float(np.mean([one.within for one in answered])), 4)
    made["nothing_recalled"] = {
        name: round(float(np.mean([one.silent for one in answered if _counts(one, category)])), 4)
        for name, category in groups.items() if any(_counts(one, category) for one in answered)
    }  # fmt: skip
    return made


@dataclass(frozen=True, slots=True)
class _Runs:
    """All that was asked."""

    ours: list[Answered]
    turns: list[Answered]
    """Plain retrieval of turns,"""
    pairs: list[Answered]
    """and of exchanges."""
    left_out: Mapping[str, list[Answered]]


def _report(
    settings: SearchTuning, runs: _Runs, histories: Sequence[History], episodes: int,
    told: tuple[str, tuple[tuple[str, str], ...]],
) -> Report:  # fmt: skip
    ours, turns, pairs, left_out = runs.ours, runs.turns, runs.pairs, runs.left_out
    clusters = list(range(len(ours)))
    interval = at(ours, 10).interval(clusters)
    gained = Ratio(tuple(a.shares[-1] - b.shares[-1] for a, b in zip(ours, turns, strict=True)), (1.0,) * len(ours))
    exchanges = sum(len(history.exchanges) for history in histories)
    counted = {
        **figures(ours),
        "questions": len(ours),
        "dialogues": len(histories),
        "exchanges": exchanges,
        "episodes": episodes,
        "interval_at_10": [round(end, 4) for end in interval],
        "above_baseline_at_10": round(gained.value, 4),
        "above_baseline_interval": [round(end, 4) for end in gained.interval(clusters)],
        "baseline": figures(turns),
        "baseline_exchanges": figures(pairs),
        "ablation": {name: figures(found) for name, found in left_out.items()},
    }
    groups: dict[str, str | None] = {**{c: c for c in CATEGORIES.values()}, "all": None}
    rows = tuple(
        (name, sum(_counts(one, category) for one in ours), *(at(run, 10, category).value for run in (ours, turns, pairs)))
        for name, category in groups.items() if any(_counts(one, category) for one in ours)
    )  # fmt: skip
    everything = (("as shipped", ours), *((name.replace("_", " "), found) for name, found in left_out.items()))
    ablation = Table(
        "Parts left out",
        ("run", "recall@1", "recall@5", "recall@10", "nothing recalled"),
        tuple(
            (name, *(at(found, k).value for k in KS), float(np.mean([one.silent for one in found])))
            for name, found in everything
        ),
        "All questions, the adversarial ones included.",
    )
    note = (
        "k counts turns. Baselines: cosine alone, chunks of one turn, and of an exchange. The interval of the difference at 10 "
        f"over all questions is {counted['above_baseline_interval']} (bootstrap over questions; there are only "
        f"{len(histories)} dialogues)."
    )
    dots = Dots(
        "Evidence recall@10",
        tuple(
            Dot(name, at(ours, 10, category).value, None, at(turns, 10, category).value)
            for name, category in groups.items()
            if any(_counts(one, category) for one in ours)
        ),
        note="Diamonds: plain retrieval of turns with the same encoder.",
    )
    source, facts = told
    shown = (("questions", str(len(ours))), ("exchanges kept as episodes", f"{episodes} of {exchanges}"),
             ("sure from", f"{settings.told_at}; company {settings.gate_at}, with a period {settings.gate_named_at}"))  # fmt: skip
    return Report(
        title="Evidence recall on LoCoMo",
        lead=f"{source}: is the turn that answers a question among the first k turns that memory finds?",
        figures=counted,
        blocks=(
            Table(
                "Evidence recall@10", ("category", "questions", "memory", "plain turns", "plain exchanges"), rows, note
            ),
            *((ablation,) if left_out else ()),
            dots,
        ),
        facts=(*shown, *facts),
    )
