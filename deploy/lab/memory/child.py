"""One vault, opened in a fresh process and measured: ``python -m deploy.lab.memory.child`` (started by `deploy.lab.memory.sizes`).

A fresh process, so that what it holds in memory is what an assistant would hold: encoder, vault and searchable copy, nothing
of what filled the vault. Prints one JSON object.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from deploy.lab.memory.filling import NOW, queries
from deploy.lab.report.statistics import spread
from memory.recall.search import SearchTuning
from memory.service import DriverMemory, MemorySettings
from memory.vault.keys import RawKey
from memory.vault.lifecycle import Vault
from models.catalog import Catalog
from models.runtime.onnx_encoder import OnnxEncoder
from schemas.memory import Kind, Turn

KEY = RawKey(bytes(range(32)))
DRIVER = "bench"
OPEN = MemorySettings(recall=SearchTuning(answers_at=0.0, gate_at=0.0, gate_named_at=0.0))
"""With the gate open, so that every question is worked out to the end."""
SETTLED = 3
"""Questions that are not counted: caches fill."""
BUILDING = 30
"""Questions asked while the graph is being built, where there is one."""


def opened(folder: Path, encoder: OnnxEncoder) -> DriverMemory:
    """The memory of a folder's vault."""
    vault = Vault.open(folder, DRIVER, KEY, clock=lambda: NOW)
    return DriverMemory(DRIVER, vault, encoder=encoder, clock=lambda: NOW, settings=OPEN)


def resident_mb(field: str) -> float:
    """``VmRSS`` or ``VmHWM`` (the highest so far) of this process, in megabytes of a million bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return round(int(line.split()[1]) * 1024 / 1e6, 1)
    return 0.0


def measure(folder: Path, size: int, asked: int, writes: int) -> dict[str, Any]:
    """Open, ask, write and forget; times in milliseconds."""
    encoder = OnnxEncoder(Catalog().find("encoder"), threads=1)
    encoder.encode(["warm"])
    opening, work = time.perf_counter(), time.thread_time()
    memory = opened(folder, encoder)
    told: dict[str, Any] = {
        "size": size, "open_ms": round(_ms(opening), 1), "open_processor_ms": round((time.thread_time() - work) * 1e3, 1),
    }  # fmt: skip
    told |= _building(memory, opening)
    recalled: list[float] = []
    worked: list[float] = []
    preferred: list[float] = []
    for number, query in enumerate(queries(asked + SETTLED, 7)):
        begun, work = time.perf_counter(), time.thread_time()
        memory.search(query, limit=10)
        recalled.append(_ms(begun))
        worked.append((time.thread_time() - work) * 1e3)
        begun = time.perf_counter()
        memory.recall(f"{query} {number}")  # another text, so that it is encoded anew
        preferred.append(_ms(begun))
    told["recall_ms"], told["preferences_ms"] = spread(recalled[SETTLED:]), spread(preferred[SETTLED:])
    told["recall_processor_ms"] = spread(worked[SETTLED:])
    encoded: list[float] = []
    for number in range(30):
        begun = time.perf_counter()
        encoder.encode([f"where did we park the car near woodport {number}"])
        encoded.append(_ms(begun))
    told["encode_ms"] = spread(encoded)
    told["rss_mb"], told["rss_peak_mb"] = resident_mb("VmRSS"), resident_mb("VmHWM")
    written, worked = _writing(memory, writes)
    told["write_ms"], told["write_processor_ms"] = spread(written), spread(worked)
    forgotten, worked, told["forgotten_verified"] = _forgetting(memory, writes)
    told["forget_ms"], told["forget_processor_ms"] = spread(forgotten), spread(worked)
    memory.close()
    told["disk_mb"] = round(sum(path.stat().st_size for path in folder.iterdir() if path.is_file()) / 1e6, 1)
    return told


def _building(memory: DriverMemory, begun: float) -> dict[str, Any]:
    """Questions while the background builds a graph, and when it is ready; nothing where so few memories need none."""
    search = memory.session.search
    if not search.cache.outgrown:
        return {}
    times: list[float] = []
    for query in queries(BUILDING + SETTLED, 9):
        asked = time.perf_counter()
        memory.search(query, limit=10)
        times.append(_ms(asked))
    building = search.cache.outgrown
    search.settle()
    return {"recall_while_building_ms": spread(times[SETTLED:]), "still_building_then": building,
            "graph_ready_s": round(_ms(begun) / 1e3, 1)}  # fmt: skip


def _writing(memory: DriverMemory, writes: int) -> tuple[list[float], list[float]]:
    """From an exchange that is over to its episode stored, with its vector: what it says is weighed, encoded and synced to disk."""
    times: list[float] = []
    worked: list[float] = []
    for number in range(writes):
        said = f"my sister moves into her new flat in springdale on the {number} of may and i help her"
        memory.note(Turn(speaker="driver", text=said, at=NOW), f"new-{number}")
        memory.note(Turn(speaker="assistant", text="That is kind of you.", at=NOW), f"new-{number}")
        begun, work = time.perf_counter(), time.thread_time()
        kept = memory.conversations.settle()
        times.append(_ms(begun))
        worked.append((time.thread_time() - work) * 1e3)
        if kept != 1:
            raise SystemExit(f"an exchange became {kept} episodes instead of one")
    return times, worked


def _forgetting(memory: DriverMemory, writes: int) -> tuple[list[float], list[float], bool]:
    """Forget what was written just now, one by one, each with the proof that it is gone."""
    new = [episode.id for episode in memory.episodes() if episode.conversation.startswith("new-")]
    times: list[float] = []
    worked: list[float] = []
    verified = True
    for name in new[:writes]:
        begun, work = time.perf_counter(), time.thread_time()
        receipt = memory.forget(name)
        times.append(_ms(begun))
        worked.append((time.thread_time() - work) * 1e3)
        verified = verified and receipt.verified and receipt.kinds.get(Kind.EPISODE) == 1
    return times, worked, verified


def _ms(begun: float) -> float:
    return (time.perf_counter() - begun) * 1e3


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]), *map(int, sys.argv[2:5]))))
