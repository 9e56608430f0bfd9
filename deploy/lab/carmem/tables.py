"""Tables and plots of CarMem's protocol: our figures beside GPT-4o's as published, and the goals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from deploy.lab.carmem.parts import Parts
from deploy.lab.report.blocks import Block, Cell, Dot, Dots, Plot, Report, Series, Table, reliability
from deploy.lab.report.published import CARMEM, CARMEM_CHANCE, GOALS, GPT4O
from schemas.preferences import BY_DETAIL, SUB_TITLES

SHOWN = 15
"""Rows of the list of confusions."""
NAMES = {
    "in_schema.main.f1": "F1, main category",
    "in_schema.sub.f1": "F1, sub category",
    "in_schema.detail.f1": "F1, detail category",
    "out_of_schema.nothing_stored": "nothing stored or asked after opt-out",
    "maintenance.equal.multi": "equal → pass, multi",
    "maintenance.equal.single": "equal → pass, single",
    "maintenance.negate.multi": "negate → update, multi",
    "maintenance.negate.single": "negate → update, single",
    "maintenance.different.multi": "different → append, multi",
    "maintenance.different.single": "different → update, single",
    "retrieval.hit_n": "retrieval, hit@n",
}
"""What is drawn on one scale."""


def report(
    figures: dict[str, Any],
    *,
    reliability: Sequence[tuple[float, float, int]],
    confusion: Sequence[tuple[str, str, int]],
    parts: Parts,
    source: str,
) -> Report:
    """The report of a run.

    Args:
        figures: the JSON object.
        reliability: mean confidence, share right, count of each bin.
        confusion: gold detail, stored detail, conversations.
        parts: for the names of the models.
        source: name of the data.
    """
    lead = (
        f"{figures['conversations']} conversations of {figures['users']} users with one preference each. Intervals: 95 %, "
        "bootstrap over users. Published: GPT-4o on the other half of the data, so the columns compare systems, not runs."
    )
    blocks: list[Block] = [
        _headline(figures), _in_schema(figures), _out_of_schema(figures), _maintenance(figures),
        _retrieval(figures), *_ablation(figures), *_paired(figures), _cost(figures), _thresholds(figures), _confidence(reliability),
        _confusion(confusion),
    ]  # fmt: skip
    facts = (
        ("data", source),
        *parts.facts,
        ("consent", "every category on, the sensitive ones too; opt-out: the gold sub category off"),
        ("kept by the protocol", f"{figures['kept']} conversations in maintenance and retrieval"),
    )
    return Report("CarMem: extraction, opt-out, maintenance, retrieval", lead, figures, tuple(blocks), facts)


def _headline(figures: Mapping[str, Any]) -> Dots:
    dots = [
        Dot(name, ours, _interval(figures, key), CARMEM.get(key), GOALS.get(key))
        for key, name in NAMES.items()
        if (ours := _at(figures, key)) is not None
    ]
    return Dots("At a glance", tuple(dots), note=f"Published: {GPT4O}, test half. Goals are this project's own.")


def _in_schema(figures: Mapping[str, Any]) -> Table:
    keys = [
        f"in_schema.{level}.{figure}" for level in ("main", "sub", "detail") for figure in ("precision", "recall", "f1")
    ]
    rows = [_row(figures, key, key.removeprefix("in_schema.").replace(".", " ")) for key in keys]
    rows.append(_row(figures, "in_schema.subset_accuracy", "exactly the gold detail"))
    asked, answered = figures["in_schema"]["asked"], figures["in_schema"]["answered"]
    unasked, aloud = figures["in_schema"]["unasked"], figures["in_schema"]["aloud"]
    attribute = figures["in_schema"]["attribute"]
    note = (
        f"Micro average. Where the gold category was found, the stored value is the gold one in {attribute['match']:.3f} and "
        f"the stored sentence is the user's in {attribute['sentence_in_user_turn']:.3f}; the gold value stands word for word "
        f"in a user's turn in {attribute['in_user_turns']:.3f}. CarMem scores categories only. Above is what extraction "
        f"found, stored or asked about first; stored without asking alone, F1 is {unasked['main']:.3f}, {unasked['sub']:.3f}, "
        f"{unasked['detail']:.3f}. {asked['conversations']:.3f} of the conversations end in a question, "
        f"{asked['right']:.3f} of the questions are about the gold category, and true answers would make F1 "
        f"{answered['main']:.3f}, {answered['sub']:.3f}, {answered['detail']:.3f}. By the rules for asking aloud "
        f"{aloud['conversations']:.3f} of the conversations end in a question, {aloud['per_stored']:.2f} for each preference that "
        f"is stored; {aloud['right']:.3f} of those are about the gold category, {aloud['sensible']:.3f} name its value, too."
    )
    return Table("Extraction, every category on", _COLUMNS, tuple(rows), note)


def _out_of_schema(figures: Mapping[str, Any]) -> Table:
    rows = [
        _row(figures, f"out_of_schema.{key}", name)
        for key, name in (
            ("nothing_stored", "nothing stored, nothing asked"),
            ("nothing_unasked", "nothing stored without asking"),
            ("removed_stored", "stored in the category switched off"),
            ("spill", "stored in another category"),
        )
    ]
    spill: Mapping[str, float] = figures["out_of_schema"]["spill_to"]
    to = ", ".join(f"{SUB_TITLES[sub]} {part:.3f}" for sub, part in spill.items())
    note = (
        f"{f'Spill went to: {to}.' if to else 'No spill.'} {_at(figures, 'out_of_schema.asked'):.3f} end in a question."
    )
    return Table("Opted out of the gold sub category", _COLUMNS, tuple(rows), note)


def _maintenance(figures: Mapping[str, Any]) -> Table:
    expected = {
        "equal": "pass",
        "negate": "update",
        "different": "append, single: update",
        "different_lenient": "append or update",
    }
    rows: list[tuple[Cell, ...]] = []
    for kind, outcome in expected.items():
        for type_ in ("multi", "single") if kind != "different_lenient" else ("multi",):
            key = f"maintenance.{kind}.{type_}"
            whole = _at(figures, f"maintenance_end_to_end.{kind}.{type_}")
            shown = "append" if (kind, type_) == ("different", "multi") else outcome.rpartition(": ")[2]
            rows.append((f"{kind.replace('_', ' ')} → {shown}, {type_}", _at(figures, key), _ends(figures, key), whole,
                         CARMEM.get(key), GOALS.get(key)))  # fmt: skip
    left = figures["maintenance"]["left_out"]
    note = (
        f"Protocol: a store of gold; negations that do not come out as exactly the gold category are left out "
        f"({left['multi']} multi, {left['single']} single). End to end: what the memory itself learnt from all conversations, "
        "and negations that it does not understand are errors."
    )
    columns = ("question → decision", "ours", "95 %", "end to end", "GPT-4o", "goal")
    return Table("Maintenance", columns, tuple(rows), note)


def _retrieval(figures: Mapping[str, Any]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for cut, name in (("n", "hit@n"), ("n1", "hit@n+1"), ("n2", "hit@n+2")):
        key = f"retrieval.hit_{cut}"
        suffix = "" if cut == "n" else f"_{cut}"
        rows.append((
            name, _at(figures, key), _ends(figures, key), _at(figures, f"retrieval.chance{suffix}"),
            _at(figures, f"retrieval_all.hit_{cut}"), _at(figures, f"retrieval_all.chance{suffix}"), CARMEM.get(key),
            CARMEM_CHANCE[f"hit_{cut}"],
        ))  # fmt: skip
    columns = ("cut", "ours", "95 %", "chance", "all", "chance, all", "GPT-4o's store", "its chance")
    note = (
        "Store filled with gold category, value and the user's best sentence; exact search; n is the number of the user's "
        f"preferences in the gold sub category. Above the assistant's own threshold: {_at(figures, 'retrieval.recalled'):.3f}."
    )
    return Table("Retrieval", columns, tuple(rows), note)


def _ablation(figures: Mapping[str, Any]) -> list[Table]:
    if "ablation" not in figures:
        return []
    names = {
        "both": "as it ships",
        "alone": "every turn by itself",
    }
    rows = tuple(
        (name, *(figures["ablation"][key][column] for column in ("main", "sub", "detail", "nothing_stored")))
        for key, name in names.items()
    )
    columns = ("readers", "main F1", "sub F1", "detail F1", "nothing stored after opt-out")
    return [Table("Ablation", columns, rows)]


def _paired(figures: Mapping[str, Any]) -> list[Table]:
    if "paired" not in figures:
        return []
    pair = figures["paired"]
    row = (pair["both"], pair["ours_only"], pair["theirs_only"], pair["neither"], float(pair["p"]))
    note = "Exactly the gold detail category, against the given list of conversations; exact McNemar test."
    return [Table("Paired with GPT-4o", ("both", "ours only", "theirs only", "neither", "p"), (row,), note)]


def _cost(figures: Mapping[str, Any]) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = (
        ("ms a conversation, median", round(_at(figures, "latency_ms.p50") or 0.0), None),
        ("ms a conversation, 95 % are under", round(_at(figures, "latency_ms.p95") or 0.0), 1500),
    )
    return Table("Time", ("figure", "ours", "goal"), rows, "Extraction of one conversation on this machine.")


def _thresholds(figures: Mapping[str, Any]) -> Plot:
    names = {
        "main": "F1, main",
        "sub": "F1, sub",
        "detail": "F1, detail",
        "nothing_stored": "nothing stored after opt-out",
    }
    series = tuple(
        Series(
            name,
            tuple((at["store_at"], at[key]) for at in figures["by_threshold"]),
            "line",
            dashed=key == "nothing_stored",
        )
        for key, name in names.items()
    )
    note = "What another confidence from which on the assistant stores without asking would give."
    return Plot(
        "Storing without asking, from which confidence on",
        "store_at",
        "share",
        series,
        (0.0, 1.0),
        (0.0, 1.0),
        note=note,
    )


def _confidence(bins: Sequence[tuple[float, float, int]]) -> Block:
    note = "Confidence of what was stored or asked about, and how often its category was the gold one."
    return reliability("Is confidence what it says?", tuple(bins), note)


def _confusion(confusion: Sequence[tuple[str, str, int]]) -> Table:
    rows = tuple((_title(gold), _title(other), count) for gold, other, count in confusion[:SHOWN])
    return Table("What was found in the place of what", ("gold", "found", "conversations"), rows)


def _title(detail: str) -> str:
    return BY_DETAIL[detail].title if detail in BY_DETAIL else detail


_COLUMNS = ("figure", "ours", "95 %", "GPT-4o", "goal")


def _row(figures: Mapping[str, Any], key: str, name: str) -> tuple[Cell, ...]:
    return name, _at(figures, key), _ends(figures, key), CARMEM.get(key), GOALS.get(key)


def _at(figures: Mapping[str, Any], key: str) -> float | None:
    place: Any = figures
    for part in key.split("."):
        if not isinstance(place, Mapping) or part not in place:
            return None
        place = place[part]
    return place


def _interval(figures: Mapping[str, Any], key: str) -> tuple[float, float] | None:
    ends = figures["intervals"].get(key)
    return (ends[0], ends[1]) if ends else None


def _ends(figures: Mapping[str, Any], key: str) -> str:
    ends = _interval(figures, key)
    return f"{ends[0]:.2f}–{ends[1]:.2f}" if ends else "–"
