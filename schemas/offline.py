"""What other people's packages are told before they are loaded: that nothing leaves this device.

Owns the switches, each with its source. They go into this process's environment, which programs that it starts inherit; importing
anything of `schemas` sets them, and whatever loads an engine imports `schemas` (tests/architecture/test_no_network.py). Who has set
one of them otherwise is overruled: Glovebox promises that it uses no network.
"""

from __future__ import annotations

import os

SWITCHES = {
    "ORT_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_OFFLINE": "1",
}
"""ONNX Runtime from 1.31 sends events to its makers and keeps an identifier of the device in ``~/.cache/Microsoft``, unless the
first is set before it is loaded (its Privacy.md, "Disabling Telemetry"). huggingface_hub, which faster-whisper loads, makes no
request with the other two (its documentation, "Environment variables"); we give it local files only."""


def switch_off() -> None:
    """Set every switch."""
    os.environ.update(SWITCHES)
