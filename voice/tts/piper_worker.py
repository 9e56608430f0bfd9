"""A Piper voice as a program of its own: a clause of text comes in, its sound goes out.

Started by `voice.tts.piper`, never imported: it is the only file that loads piper-tts, which is GPL-3.0-or-later. It imports
nothing of Glovebox, so that either can be shipped without the other (docs/licences.md).

Both directions carry frames: kind (one letter), number of the request, length of what follows; little-endian, 9 bytes, then the
bytes. In: ``T`` text in UTF-8; an empty one only stops what is being made. Out: ``R`` ready, with the rate in Hz as digits; ``S``
sound, int16 at that rate, the whole clause at once; ``X`` it failed, with two letters for why: ``no`` piper-tts is not there,
``ld`` the voice cannot be loaded, ``sp`` this clause could not be spoken. Nothing else is written, no text is ever logged.

The newest request wins: it stops the one before between two nodes of the network. The end of the input ends the program, whatever
it is doing, so that it does not outlive the assistant, however that ends.
"""

from __future__ import annotations

import json
import logging
import os
import struct
import sys
import threading
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

_HEAD = struct.Struct("<cII")
_LONGEST = 65_536
"""Bytes of one text; more is no text."""
_GIVEN_BACK = 60
"""Letters from which on what a clause took is given back, since ONNX Runtime keeps the most that it ever took. Three times five
clauses of up to 120 letters left the program with 316 MB, with this 203; giving back after every one costs a quarter more time."""


class _Stoppable:
    """An ONNX session as Piper uses it, whose run can be ended from another thread."""

    def __init__(self, session: Any, options: Any) -> None:
        self._session, self.options = session, options

    def run(self, outputs: Any, inputs: Any) -> Any:
        return self._session.run(outputs, inputs, self.options)


class _Requests:
    """The newest request, filled by a thread of its own."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        self._changed = threading.Condition()
        self._newest: tuple[int, str] | None = None
        self._running: Any = None

    def take(self, options: Any) -> tuple[int, str, Any]:
        """Wait for the next; with what stops it, made by `options`."""
        with self._changed:
            while self._newest is None:
                self._changed.wait()
            (number, text), self._newest = self._newest, None
            self._running = options()
            return number, text, self._running

    def read_forever(self) -> None:
        """Read until the input ends, then end the program."""
        try:
            while len(head := self._source.read(_HEAD.size)) == _HEAD.size:
                kind, number, length = _HEAD.unpack(head)
                if kind != b"T" or length > _LONGEST or len(data := self._source.read(length)) < length:
                    break
                with self._changed:
                    self._newest = number, data.decode("utf-8", "replace")
                    if self._running is not None:
                        self._running.terminate = True
                    self._changed.notify()
        finally:
            os._exit(0)


def _send(out: BinaryIO, kind: bytes, number: int, data: bytes) -> None:
    out.write(_HEAD.pack(kind, number, len(data)) + data)
    out.flush()


def _load(path: str, threads: int) -> tuple[Any, Any, Any]:
    """(voice, its session, what makes options of one run)."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # as schemas/offline.py has it, which is not imported here
    onnxruntime, piper = import_module("onnxruntime"), import_module("piper")
    logging.getLogger("piper").setLevel(logging.CRITICAL)  # at DEBUG it writes every text that it speaks
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # the recogniser needs the core
    options.enable_mem_pattern = False  # every clause has another length: plans would be kept and never used again
    options.log_severity_level = 4
    config = piper.PiperConfig.from_dict(json.loads(Path(f"{path}.json").read_text(encoding="utf-8")))
    if not (isinstance(config.sample_rate, int) and 8_000 <= config.sample_rate <= 48_000):
        raise ValueError("no rate of a voice")
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    stoppable = _Stoppable(session, None)
    return piper.PiperVoice(session=stoppable, config=config), stoppable, onnxruntime.RunOptions


def main(path: str, threads: int, niceness: int) -> None:
    """Serve requests until the input ends."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not fall among the frames
    os.nice(niceness)
    requests = _Requests(sys.stdin.buffer)
    threading.Thread(target=requests.read_forever, daemon=True).start()  # loading, too, ends with the input
    try:
        voice, session, options = _load(path, threads)
    except ImportError:
        return _send(out, b"X", 0, b"no")
    except Exception:  # noqa: BLE001  JSON, keys, and ONNX Runtime's exceptions, which share no base but Exception
        return _send(out, b"X", 0, b"ld")
    np = import_module("numpy")
    settings = import_module("piper").SynthesisConfig(normalize_audio=False)  # the level is ours: `voice.tts.loudness`
    _send(out, b"R", 0, str(voice.config.sample_rate).encode())
    while True:
        number, text, running = requests.take(options)
        session.options = running
        if len(text) >= _GIVEN_BACK:
            running.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
        try:
            parts = [np.atleast_1d(part.audio_float_array) for part in voice.synthesize(text, settings)] if text else []
            sound = np.nan_to_num(np.concatenate([*parts, np.zeros(0, np.float32)]))
            _send(out, b"S", number, (sound * 32767.0).astype("<i2").tobytes())
        except BrokenPipeError:
            return None
        except Exception:  # noqa: BLE001  as above; also a run that a newer request stopped, whose answer nobody waits for
            _send(out, b"X", number, b"sp")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
