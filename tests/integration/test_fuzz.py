"""Whatever comes in, the answer is a result or one of our errors, never a traceback.

Configuration, import, sound, what a language model writes, HTTP.

The ordinary suite plays a hundred rounds of each; all of them:

    GLOVEBOX_FUZZ=10000 pytest -q --timeout 0 tests/integration/test_fuzz.py
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import logging
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deploy.config import keys, load_config
from deploy.screen import ScreenServer
from memory.screen.app import COOKIE
from memory.screen.routes import ROUTES
from models.acts.spelling import read as read_acts
from schemas.actions.acts import NAMES
from schemas.errors import AudioFileError, ConfigError, GenerationError, GloveboxError
from schemas.events import FRAME
from schemas.ports import MemoryPort
from tests.memories import StoppedClock, fill, memory_of
from tests.screens import NOW, Car, FakeDrivers, parts_of, preference
from voice.audio import wavefile

ROUNDS = int(os.environ.get("GLOVEBOX_FUZZ", "100"))
rounds = settings(
    max_examples=ROUNDS,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much],
    derandomize=ROUNDS <= 100,
)

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=30)
    | st.sampled_from([10**400, "\0", "\ud800"])
)
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4)
)


# Configuration

LINES = st.lists(
    st.one_of(
        st.text(max_size=60),
        st.tuples(st.sampled_from(keys()) | st.text(max_size=20), SCALARS).map(
            lambda p: f"{p[0]} = {json.dumps(p[1], default=str)}"
        ),
        st.sampled_from(sorted({key.rpartition(".")[0] for key in keys()})).map(lambda name: f"[{name}]"),
        st.sampled_from(["[[x]]", "x = [", "'''", "a.b.c = 1", "\ufeff", "x = 1e999", "x = 9" * 40]),
    ),
    max_size=8,
)


@rounds
@given(
    lines=LINES,
    raw=st.none() | st.binary(max_size=80),
    flags=st.dictionaries(st.sampled_from(keys()), st.text(max_size=30), max_size=3),
)
def test_configuration(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], raw: bytes | None, flags: dict[str, str]
) -> None:
    file = tmp_path_factory.getbasetemp() / "fuzz.toml"
    file.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass") if raw is None else raw)
    with contextlib.suppress(ConfigError):
        load_config(file, flags=flags, environment={})


# Import


@pytest.fixture(scope="module")
def export() -> dict[str, Any]:
    made = memory_of("ada", clock=StoppedClock())
    fill(made, preference("p1"), preference("p2", "italian", "favourite_cuisine", 3))
    made.remember("i love samba", "favorite_genres")
    return json.loads(json.dumps(made.export()))


@pytest.fixture(scope="module")
def other() -> Iterator[MemoryPort]:
    made = memory_of("bert", clock=StoppedClock())
    yield made
    made.close()


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield (*path, key)
        yield from places(one, (*path, key))


@rounds
@given(data=st.data())
def test_import(export: dict[str, Any], other: MemoryPort, data: st.DataObject) -> None:
    taken: Any = copy.deepcopy(export)
    for _ in range(data.draw(st.integers(1, 3))):
        *way, last = data.draw(st.sampled_from(list(places(taken)) or [(None,)]))
        inside = taken
        for key in way:
            inside = inside[key]
        if last is None or data.draw(st.integers(0, 40)) == 0:
            taken = data.draw(st.dictionaries(st.text(max_size=12), JSON, max_size=4))
            break
        if data.draw(st.booleans()):
            inside[last] = data.draw(JSON)
        else:
            del inside[last]
    with contextlib.suppress(GloveboxError):
        other.take_in(taken, allow=data.draw(st.booleans()))


# Sound


def sound(subtype: str, channels: int, rate: int) -> bytes:
    held = io.BytesIO()
    wave = np.zeros((400, channels), np.float32) + np.linspace(-0.5, 0.5, 400, dtype=np.float32)[:, None]
    soundfile.write(held, wave, rate, subtype=subtype, format="WAV")
    return held.getvalue()


SOUNDS = [
    sound(*kind) for kind in (("PCM_16", 1, 16_000), ("PCM_24", 2, 44_100), ("FLOAT", 1, 8_000), ("PCM_U8", 6, 48_000))
]


@rounds
@given(
    base=st.sampled_from(SOUNDS),
    changes=st.lists(st.tuples(st.integers(0, 120), st.binary(min_size=1, max_size=6)), max_size=5),
    cut=st.none() | st.integers(0, 400),
    raw=st.none() | st.binary(max_size=60),
)
def test_sound(
    tmp_path_factory: pytest.TempPathFactory,
    base: bytes,
    changes: list[tuple[int, bytes]],
    cut: int | None,
    raw: bytes | None,
) -> None:
    held = bytearray(base if raw is None else b"RIFF" + raw)
    for place, piece in changes:
        held[place : place + len(piece)] = piece
    file = tmp_path_factory.getbasetemp() / "fuzz.wav"
    file.write_bytes(bytes(held[:cut]))
    with contextlib.suppress(AudioFileError):
        read = wavefile.read(file, limit_s=60.0)
        assert read.dtype == np.int16 and read.size < 61 * 16_000
    with contextlib.suppress(GloveboxError):
        for frame in wavefile.WaveSource.from_file(file).frames():
            assert frame.shape == (FRAME,)


# What a language model writes

WRITTEN = st.one_of(
    st.text(max_size=80),
    st.tuples(st.sampled_from(sorted(NAMES)), st.text(max_size=30)).map(lambda p: f"{p[0]}({p[1]})"),
    st.tuples(st.sampled_from(sorted(NAMES)), st.text("abc=,.0129-einfa", max_size=20)).map(
        lambda p: f"{p[0]}({p[1]}); {p[0]}()"
    ),
    JSON.map(lambda value: json.dumps(value, default=str)),
)


@rounds
@given(text=WRITTEN)
def test_what_a_model_writes(text: str) -> None:
    with contextlib.suppress(GenerationError):
        read_acts(text)


# HTTP


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, str]]:
    folder: Path = tmp_path_factory.mktemp("fuzz")
    drivers = FakeDrivers(lambda name: memory_of(name, clock=lambda: NOW))
    with ScreenServer(parts_of(Car(), drivers, folder), folder) as server:
        number = int(server.address.partition("127.0.0.1:")[2].partition("/")[0])
        session = server.screen.door.enter(server.screen.door.secret)
        assert session is not None
        yield number, session.id


METHODS = st.sampled_from(["GET", "POST", "HEAD", "PUT", "OPTIONS", "TRACE", "get", "\x00"])
PATHS = st.sampled_from(
    [entry.path for entry in ROUTES] + ["/static/screen.js", "/enter", "/nowhere", "*", "//", "/%", "/%00"]
)
NOISE = st.text(st.characters(max_codepoint=255, exclude_characters="\r\n"), max_size=20)
NAMED = st.sampled_from("Origin Cookie Content-Type Content-Length Transfer-Encoding Host Upgrade X".split())
KNOWN = st.sampled_from(
    ["chunked", "0", "99999999999", "-1", "application/x-www-form-urlencoded", "language=xx; look=yy"]
)
HEADERS = st.lists(st.tuples(NAMED, NOISE | KNOWN), max_size=4)
REQUESTS = st.tuples(METHODS, PATHS, NOISE, HEADERS, st.binary(max_size=60))


@pytest.mark.socket
@rounds
@given(
    request=REQUESTS, raw=st.none() | st.none() | st.binary(max_size=80), let_in=st.sampled_from([True, True, False])
)
def test_http(
    port: tuple[int, str], caplog: pytest.LogCaptureFixture, request: tuple[Any, ...], raw: bytes | None, let_in: bool
) -> None:
    number, cookie = port
    method, path, query, more, body = request
    head = [f"{method} {path}?{query} HTTP/1.1", f"Host: 127.0.0.1:{number}", "Connection: close"]
    head += [f"Cookie: {COOKIE}={cookie}"] if let_in else []
    head += [f"{name}: {value}" for name, value in more]
    sent = "\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + body if raw is None else raw
    caplog.clear()
    answer = b""
    with (
        caplog.at_level(logging.ERROR),
        contextlib.suppress(ConnectionError),
        socket.create_connection(("127.0.0.1", number), timeout=20) as line,
    ):
        line.sendall(sent)
        line.shutdown(socket.SHUT_WR)
        answer = line.recv(200)
    assert not answer.startswith((b"HTTP/1.1 500", b"HTTP/1.0 500"))
    assert answer == b"" or answer.startswith(b"HTTP/1.")
    assert [record.getMessage() for record in caplog.records] == []
