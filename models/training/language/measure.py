"""Measures a language model on what it was never trained on.

``python -m models.training.language.measure --model models/builtin/language/glovebox.gguf``

Held out are one in five patterns and, in open-ended categories, one in five values (``models.training.phrases``). Slices are
made as in training: the true leaves with one to six in all, most of them neighbours; 10 % lack the truth. Prints per
task: exact matches of the whole answer, also by the number of turns; the same with values a few words longer or shorter;
matches of its leaves only; the share of empty answers that are right; milliseconds per fill. Then validity and the
process's memory.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from models.runtime.llamacpp import LlamaCppModel
from models.structured import Structured
from models.training.language.data.examples import Example, Examples
from schemas.errors import GenerationError

TASKS = ("extract", "maintain")


def leaves_of(data: Any, path: tuple[str, ...] = ()) -> frozenset[tuple[str, ...]]:
    """Paths of the detail categories in an answer."""
    if isinstance(data, dict) and (len(path) < 1 or any(isinstance(v, dict | list) for v in data.values())):
        return frozenset().union(*(leaves_of(value, (*path, name)) for name, value in data.items()))
    return frozenset({path})


def near(got: Any, want: Any) -> bool:
    """Whether an answer is right but for how many words of a value it took ("the jazz" for "jazz")."""
    if isinstance(got, dict) and isinstance(want, dict):
        return got.keys() == want.keys() and all(near(got[name], want[name]) for name in want)
    if isinstance(got, list) and isinstance(want, list):
        return len(got) == len(want) and all(map(near, got, want))
    if isinstance(got, str) and isinstance(want, str):
        return f" {got} " in f" {want} " or f" {want} " in f" {got} "
    return got == want


def measure(model: Path, *, n: int, seed: int, threads: int, show: int) -> dict[str, Any]:
    """Figures of a model on ``n`` held-out examples of every task."""
    structured = Structured(LlamaCppModel(model, threads=threads))
    report: dict[str, Any] = {"model": model.name, "bytes": model.stat().st_size, "examples": n, "threads": threads}
    for task in TASKS:
        drawn = Examples(seed, held_out=True).draw(n, {task: 1.0})
        hits: Counter[str] = Counter()
        kinds: defaultdict[str, list[bool]] = defaultdict(list)
        turns: defaultdict[str, list[bool]] = defaultdict(list)
        took: list[float] = []
        for example in drawn:
            slice_model = example.model
            started = time.perf_counter()
            got = _fill(structured, example, slice_model)
            took.append((time.perf_counter() - started) * 1000)
            right = got == example.answer
            kinds[example.kind].append(right)
            turns["one_turn" if len(example.turns) == 1 else "several_turns"].append(right)
            hits["exact"] += right
            hits["near"] += near(got, example.answer)
            hits["leaves"] += got is not None and leaves_of(got) == leaves_of(example.answer)
            if not example.answer:
                hits["empty"] += 1
                hits["empty right"] += right
            hits["wrongly empty"] += got == {} and bool(example.answer)
            if not right and show > 0:
                show -= 1
                print(f"{example.kind}: {example.prompt}\n    want {example.output}\n    got  {json.dumps(got)}")
        report[task] = {
            "exact": round(hits["exact"] / n, 3),
            "near": round(hits["near"] / n, 3),
            "leaves": round(hits["leaves"] / n, 3),
            "empty_right": round(hits["empty right"] / max(1, hits["empty"]), 3),
            "wrongly_empty": round(hits["wrongly empty"] / max(1, n - hits["empty"]), 3),
            **(_shares(turns) if len(turns) > 1 else {}),
            "kinds": _shares(kinds),
            "ms_p50": round(float(np.percentile(took, 50)), 1),
            "ms_p95": round(float(np.percentile(took, 95)), 1),
        }
    report["valid"] = f"{structured.valid} of {structured.calls}"
    report["rss_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return report


def _shares(found: Mapping[str, Sequence[bool]]) -> dict[str, str]:
    return {name: f"{np.mean(right):.3f} of {len(right)}" for name, right in sorted(found.items())}


def _fill(structured: Structured, example: Example, model: Any) -> dict[str, Any] | None:
    try:
        filled = structured.fill(example.task, model, turns=example.turns, facts=example.facts)
    except GenerationError:
        return None
    return filled.model_dump(mode="json", exclude_defaults=True)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, default=Path("models/builtin/language/glovebox.gguf"))
    parser.add_argument("--examples", type=int, default=500, help="of each task")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--show", type=int, default=0, help="print so many wrong answers")
    given = parser.parse_args()
    report = measure(given.model, n=given.examples, seed=given.seed, threads=given.threads, show=given.show)
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
