"""What the processor that trains can do."""

from __future__ import annotations

from pathlib import Path


def brisk() -> bool:
    """Whether the processor computes in bfloat16 itself, by Linux's list of its flags: elsewhere that takes four times as long."""
    try:
        return bool({"avx512_bf16", "amx_bf16"} & set(Path("/proc/cpuinfo").read_text("utf-8", "replace").split()))
    except OSError:
        return False
