"""``glovebox bench memory``: what remembering costs, from 100 memories to 100,000, beside other ways to search.

Each size is a vault of its own, filled by `deploy.lab.memory.filling` and measured by `deploy.lab.memory.child` in a fresh
process. Beside the time on the clock stands the processor's time of the thread that asked, which other work on the machine does
not stretch. The peers search the same vectors: comparing with all of them (NumPy), sqlite-vec where it is installed (an extra of
development), and a plain dictionary, one product at a time. Their times are without encoding the question, which is told apart.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deploy.lab.memory.child import opened
from deploy.lab.memory.filling import NOISE, Texts, fill, queries
from deploy.lab.report.blocks import Plot, Progress, Report, Series, Table
from deploy.lab.report.statistics import spread
from memory.recall.exact import ExactIndex
from memory.recall.hnsw import EXACT_UP_TO, HnswIndex
from memory.vault.lifecycle import Vault
from models.catalog import Catalog
from models.runtime.onnx_encoder import OnnxEncoder
from schemas.errors import MemoryStoreError

SIZES = (100, 1_000, 10_000, 30_000, 100_000)
QUICK = (100, 1_000)
GOALS = {
    "recall_ms.10000.p95": 15.0, "recall_ms.100000.p95": 25.0, "hnsw_recall_at_10": 0.98, "open_ms": 300.0,
    "write_ms_p95": 20.0, "forget_ms_p95": 200.0, "rss_mb": 500.0, "disk_mb": 400.0,
}  # fmt: skip
NEAREST = 10
TEXTS, QUICK_TEXTS = 3_000, 300
ASKED, QUICK_ASKED = 200, 30
WRITES, QUICK_WRITES = 40, 10
PEERS_ASKED = 30
STANDARD, LARGE = 10_000, 100_000
"""Sizes that the scalar figures are of: opening, writing and forgetting; memory and disk."""


def measure(tell: Progress, *, quick: bool = False, seed: int = 1) -> Report:
    """Fill, measure and compare.

    Args:
        tell: hears what is being done.
        quick: small stores and few questions: whether it works, not how fast it is.
        seed: of the memories.

    Raises:
        MemoryStoreError: a measured process ended by itself.
    """
    sizes = QUICK if quick else SIZES
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        encoder = OnnxEncoder(Catalog().find("encoder"), threads=1)
        tell("encoding texts", 0, 0)
        texts = Texts.made(encoder, QUICK_TEXTS if quick else TEXTS, seed)
        told: dict[int, dict[str, Any]] = {}
        graph: dict[str, Any] = {}
        for number, size in enumerate(sizes):
            tell("sizes", number, len(sizes))
            own = folder / str(size)
            graph |= _filled(own, encoder, texts, size, seed)
            told[size] = _child(own, size, QUICK_ASKED if quick else ASKED, QUICK_WRITES if quick else WRITES)
        tell("sizes", len(sizes), len(sizes))
        asked = [encoder.encode([query])[0] for query in queries(PEERS_ASKED, seed + 1)]
    if quick:
        graph = {str(sizes[-1]): _graph(texts, sizes[-1], asked, seed)}
    peers = {str(size): _peers(texts, size, asked, seed, tell) for size in sizes if size >= min(STANDARD, sizes[-1])}
    return _report(told, peers, graph, quick=quick)


def _filled(folder: Path, encoder: OnnxEncoder, texts: Texts, size: int, seed: int) -> dict[str, Any]:
    """Fill a vault; where that is many, compare its graph with comparing."""
    memory = opened(folder, encoder)
    memory.close()
    memory = opened(folder, encoder)
    fill(_vault(memory), memory, texts, size, seed)
    memory.close()
    return {} if size <= EXACT_UP_TO else {str(size): _graph_of(folder, encoder)}


def _vault(memory: Any) -> Vault:
    """The vault of an open memory: filling goes beneath its port."""
    return memory.session.vault


def _graph_of(folder: Path, encoder: OnnxEncoder) -> dict[str, Any]:
    """How many of the ten nearest the graph finds, and how long after the vault was opened it is there."""
    begun = time.perf_counter()
    memory = opened(folder, encoder)
    try:
        search = memory.session.search
        search.settle()
        took, cache = time.perf_counter() - begun, search.cache
        found: dict[str, Any] = {"graphs": 0}
        for kind, index in cache.indices.items():
            if index.walks:
                exact = ExactIndex(cache.dimension, len(index))
                rows = index.rows()
                for start in range(0, len(rows), 4096):
                    exact.add(rows[start : start + 4096], index.vectors(rows[start : start + 4096]))
                asked = [encoder.encode([query])[0] for query in queries(100, 3)]
                found = {"kind": kind.value, "vectors": len(index), "built_s": round(took, 1),
                         "hnsw_recall_at_10": _agreement(exact, index, asked), **_times(exact, index, asked)}  # fmt: skip
        return found
    finally:
        memory.close()


def _graph(texts: Texts, size: int, asked: Sequence[NDArray[np.float32]], seed: int) -> dict[str, Any]:
    """The same for a graph made for the purpose, where no size has one of its own."""
    vectors, rows = _vectors(texts, size, seed), np.arange(size)
    exact, graph = ExactIndex(vectors.shape[1], size), HnswIndex(vectors.shape[1], size)
    exact.add(rows, vectors)
    graph.add(rows, vectors)
    graph.exact_up_to = 0
    graph.grow(threading.RLock(), threading.Event())
    return {"vectors": size, "hnsw_recall_at_10": _agreement(exact, graph, asked), **_times(exact, graph, asked)}


def _agreement(exact: ExactIndex, graph: HnswIndex, asked: Sequence[NDArray[np.float32]]) -> float:
    shares = [
        len(set(exact.search(one, NEAREST)[0].tolist()) & set(graph.search(one, NEAREST)[0].tolist())) / NEAREST
        for one in asked
    ]
    return round(float(np.mean(shares)), 4)


def _times(exact: ExactIndex, graph: HnswIndex, asked: Sequence[NDArray[np.float32]]) -> dict[str, Any]:
    return {
        "exact_ms": _timed(lambda one: exact.search(one, NEAREST), asked),
        "graph_ms": _timed(lambda one: graph.search(one, NEAREST), asked),
    }


def _child(folder: Path, size: int, asked: int, writes: int) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "deploy.lab.memory.child", str(folder), str(size), str(asked), str(writes)],
        capture_output=True, text=True, check=False, cwd=Path(__file__).parents[3], env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    if done.returncode:
        raise MemoryStoreError(
            f"the measured process for {size} memories ended with {done.returncode}: {done.stderr[-300:]}"
        )
    return json.loads(done.stdout)


# Peers


def _vectors(texts: Texts, size: int, seed: int) -> NDArray[np.float32]:
    rng = np.random.default_rng(seed)
    return texts.noisy(rng.integers(len(texts.said), size=size), rng)


def _peers(texts: Texts, size: int, asked: Sequence[NDArray[np.float32]], seed: int, tell: Progress) -> dict[str, Any]:
    tell(f"peers at {size}", 0, 0)
    vectors = _vectors(texts, size, seed)
    truth = [set(np.argsort(-(vectors @ one), kind="stable")[:NEAREST].tolist()) for one in asked]
    table = {f"{row:032x}": vectors[row] for row in range(size)}
    dictionary = _timed(
        lambda one: sorted(((float(own @ one), name) for name, own in table.items()), reverse=True)[:NEAREST],
        asked[:10],
    )
    found: dict[str, Any] = {
        "exact": {"search_ms": _timed(lambda one: np.argsort(-(vectors @ one), kind="stable")[:NEAREST], asked)},
        "dictionary": {"search_ms": dictionary},
    }
    found["sqlite_vec"] = _sqlite_vec(vectors, asked, truth) if find_spec("sqlite_vec") else {"absent": "not installed"}
    return found


def _sqlite_vec(
    vectors: NDArray[np.float32], asked: Sequence[NDArray[np.float32]], truth: Sequence[set[int]]
) -> dict[str, Any]:
    """A table of sqlite-vec in a plain, unencrypted file: the nearest by inner product of unit vectors."""
    engine: Any = import_module("sqlcipher3").dbapi2
    with tempfile.TemporaryDirectory() as folder:
        connection = engine.connect(str(Path(folder) / "vectors.db"))
        connection.enable_load_extension(True)
        connection.load_extension(import_module("sqlite_vec").loadable_path())
        connection.execute(
            f"CREATE VIRTUAL TABLE vectors USING vec0 (vector float[{vectors.shape[1]}] distance_metric=cosine)"
        )
        connection.executemany(
            "INSERT INTO vectors (rowid, vector) VALUES (?, ?)",
            ((row, own.tobytes()) for row, own in enumerate(vectors)),
        )
        connection.commit()

        def search(one: NDArray[np.float32]) -> list[int]:
            rows = connection.execute(
                "SELECT rowid FROM vectors WHERE vector MATCH ? AND k = ?", (one.tobytes(), NEAREST)
            ).fetchall()
            return [row[0] for row in rows]

        times = _timed(search, asked)
        shares = [len(truth[number] & set(search(one))) / NEAREST for number, one in enumerate(asked)]
        disk = round((Path(folder) / "vectors.db").stat().st_size / 1e6, 1)
        connection.close()
    return {"search_ms": times, "recall_at_10": round(float(np.mean(shares)), 4), "disk_mb": disk}


def _timed(search: Callable[[NDArray[np.float32]], object], asked: Sequence[NDArray[np.float32]]) -> dict[str, float]:
    times: list[float] = []
    for one in asked:
        begun = time.perf_counter()
        search(one)
        times.append((time.perf_counter() - begun) * 1e3)
    return spread(times)


# The report


def _report(told: dict[int, dict[str, Any]], peers: dict[str, Any], graph: dict[str, Any], *, quick: bool) -> Report:
    middle = STANDARD if STANDARD in told else max(told)
    large = LARGE if LARGE in told else max(told)
    recalls = [one["hnsw_recall_at_10"] for one in graph.values() if "hnsw_recall_at_10" in one]
    figures: dict[str, Any] = {
        "recall_ms": {str(size): one["recall_ms"] for size, one in told.items()},
        "preferences_ms": {str(size): one["preferences_ms"] for size, one in told.items()},
        "recall_processor_ms": {str(size): one["recall_processor_ms"] for size, one in told.items()},
        "encode_ms": told[middle]["encode_ms"],
        "hnsw_recall_at_10": min(recalls) if recalls else None,
        "open_ms": told[middle]["open_ms"],
        "open_processor_ms": told[middle]["open_processor_ms"],
        "write_ms_p95": told[middle]["write_ms"]["p95"],
        "write_processor_ms_p95": told[middle]["write_processor_ms"]["p95"],
        "forget_ms_p95": told[middle]["forget_ms"]["p95"],
        "forget_processor_ms_p95": told[middle]["forget_processor_ms"]["p95"],
        "forgotten_verified": all(one["forgotten_verified"] for one in told.values()),
        "rss_mb": told[large]["rss_mb"],
        "rss_peak_mb": told[large]["rss_peak_mb"],
        "disk_mb": told[large]["disk_mb"],
        "of": {"open_write_forget": middle, "rss_disk": large},
        "by_size": {str(size): one for size, one in told.items()},
        "graph": graph,
        "peers": peers,
        "goals": GOALS,
        "made_of": f"texts of the project's phrase bank, encoded; their vectors with noise of length {NOISE}",
        "quick": quick,
        "load": os.getloadavg()[0],
    }
    rows = tuple(
        (f"{size:,}", *(one["recall_ms"][at] for at in ("p50", "p95")), one["recall_processor_ms"]["p95"],
         one["preferences_ms"]["p95"], one["open_ms"],
         one["write_ms"]["p95"], one["forget_ms"]["p95"], one["rss_mb"], one["disk_mb"])
        for size, one in told.items()
    )  # fmt: skip
    table = Table(
        "Cost by size",
        (
            "memories",
            "recall p50 ms",
            "p95",
            "of it processor p95",
            "preferences p95",
            "open ms",
            "write p95",
            "forget p95",
            "resident MB",
            "disk MB",
        ),
        rows,
        "Recall includes encoding the question; resident includes encoder and Python; a fresh process for every size.",
    )
    against = Table(
        "Other ways to search, without encoding the question",
        ("memories", "way", "p50 ms", "p95 ms"),
        tuple(
            (f"{int(size):,}", way, *(one["search_ms"][at] if "search_ms" in one else None for at in ("p50", "p95")))
            for size, ways in peers.items()
            for way, one in ways.items()
        ),
    )
    plot = Plot(
        "Cost against size",
        "memories",
        "milliseconds, p95",
        (
            _series("search, all kinds", told, "recall_ms"),
            _series("preferences", told, "preferences_ms"),
            _series("write", told, "write_ms"),
            _series("forget with proof", told, "forget_ms"),
            Series("exact search alone", _points(peers, "exact"), dashed=True),
            Series("sqlite-vec alone", _points(peers, "sqlite_vec"), dashed=True),
        ),
        log_x=True,
        note="A dictionary's scan is left out: it would hide the rest.",
    )
    return Report(
        title="What remembering costs",
        lead=f"Made memories ({figures['made_of']}), four of five of them exchanges; {'a quick look' if quick else 'all sizes'}.",
        figures=figures,
        blocks=(table, against, plot),
        facts=(("processors", str(os.cpu_count())), ("load when done", f"{figures['load']:.1f}")),
    )


def _series(name: str, told: dict[int, dict[str, Any]], figure: str) -> Series:
    return Series(name, tuple((float(size), float(one[figure]["p95"])) for size, one in told.items()))


def _points(peers: dict[str, Any], way: str) -> tuple[tuple[float, float], ...]:
    return tuple(
        (float(size), ways[way]["search_ms"]["p95"]) for size, ways in peers.items() if "search_ms" in ways[way]
    )
