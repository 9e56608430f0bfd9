"""The benchmark of memory on small stores: that it runs to its end and tells what it promises; no figure is judged."""

from __future__ import annotations

import json

from deploy.lab.memory.sizes import GOALS, QUICK, measure
from deploy.lab.report.blocks import silent


def test_a_quick_run_tells_every_figure() -> None:
    report = measure(silent, quick=True)
    figures = report.figures
    assert {
        "recall_ms",
        "hnsw_recall_at_10",
        "open_ms",
        "write_ms_p95",
        "forget_ms_p95",
        "rss_mb",
        "disk_mb",
        "peers",
    } <= set(figures)
    assert set(figures["recall_ms"]) == {str(size) for size in QUICK} and figures["quick"] and figures["goals"] == GOALS
    assert all(0.0 < one["p50"] <= one["p95"] for one in figures["recall_ms"].values())
    assert 0.9 <= figures["hnsw_recall_at_10"] <= 1.0 and figures["forgotten_verified"]
    assert {"exact", "dictionary", "sqlite_vec"} <= set(figures["peers"][str(QUICK[-1])])
    assert json.loads(json.dumps(figures)) == figures and report.blocks
