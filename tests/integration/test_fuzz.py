"""Whatever comes in, the answer is a result or one of our errors, never a traceback.

Configuration, import, sound, what is read as acts, HTTP.

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
import re
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlencode

import numpy as np
import pytest
import soundfile
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deploy.cli.forgetting import read_export
from deploy.config import keys, load_config
from deploy.screen import ScreenServer
from memory.screen.app import COOKIE
from memory.screen.routes import ROUTES
from memory.screen.sessions import Session, Token
from models.acts.spelling import read as read_acts
from schemas.actions.acts import NAMES
from schemas.errors import AudioFileError, ConfigError, GenerationError, GloveboxError
from schemas.events import FRAME
from schemas.ports import MemoryPort
from schemas.seat import Seat
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


PIECES = st.sampled_from(
    [b"0", b"x", b" ", b"NaN", b"1e999", b"9" * 30, b"null", b"\\u0000", b"\\ud800", b'"', b"}", b"[["]
)
FILES = st.tuples(
    st.none() | st.none() | st.binary(max_size=80) | JSON.map(lambda value: json.dumps(value, default=str).encode()),
    st.lists(st.tuples(st.integers(0, 9000), PIECES | st.binary(max_size=6)), max_size=4),
    st.none() | st.none() | st.integers(0, 9000),
    st.sampled_from([b"", b"", b"", b"\xef\xbb\xbf", b"[" * 100_000, b'{"a":' * 50_000, b"\xff\xfe"]),
)
"""What a file holds in the place of an export, what of it is overwritten where, where it is cut off, and what stands before it."""


@rounds
@given(made=FILES, allow=st.booleans())
def test_import_of_a_file(
    tmp_path_factory: pytest.TempPathFactory,
    export: dict[str, Any],
    other: MemoryPort,
    made: tuple[Any, ...],
    allow: bool,
) -> None:
    raw, changes, cut, before = made
    held = bytearray(json.dumps(export, ensure_ascii=False).encode() if raw is None else raw)
    for place, piece in changes:
        held[place : place + len(piece)] = piece
    file = tmp_path_factory.getbasetemp() / "fuzz.json"
    file.write_bytes(before + bytes(held[:cut]))
    read = None
    with contextlib.suppress(GloveboxError):
        read = read_export(file)
    if read is not None:
        with contextlib.suppress(GloveboxError):
            other.take_in(read, allow=allow)


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


# What is read as acts

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
def test_what_is_read_as_acts(text: str) -> None:
    with contextlib.suppress(GenerationError):
        read_acts(text)


# HTTP


@dataclass(frozen=True)
class Served:
    """A screen that answers at this port, and who is let in."""

    port: int
    session: Session
    seat: Seat


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder: Path = tmp_path_factory.mktemp("fuzz")
    drivers = FakeDrivers(lambda name: memory_of(name, clock=lambda: NOW))
    with ScreenServer(parts_of(Car(), drivers, folder), folder) as server:
        number = int(server.address.partition("127.0.0.1:")[2].partition("/")[0])
        session = server.screen.door.enter(server.screen.door.secret)
        assert session is not None
        yield Served(number, session, drivers.seat)


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
SENT_TO = st.sampled_from([entry.path for entry in ROUTES if entry.method == "POST"])
FIELDS = st.dictionaries(
    st.sampled_from(
        "answer code count days detail fresh from in instead key language look network pin privacy remove stick text to value "
        "what which yes".split()
    )
    | NOISE,
    st.text(max_size=30)
    | st.sampled_from(["1", "-1", "10" * 200, "music", "favorite_genres", "everything", "ada", "2026-01-01"]),
    max_size=6,
)
PLACES = st.sampled_from(
    ["1", "0", "p1", "music", "favorite_genres", "ada", "everything", "%00", "%ff", "x" * 200, "..", "%F0%9F%8E%B5"]
)
REQUESTS = st.tuples(METHODS, PATHS, NOISE, HEADERS, st.binary(max_size=60))


def form(served: Served, data: st.DataObject) -> bytes:
    """A form that is let through to its function: a good token, from the screen's own page, with rubbish in its fields."""
    path = re.sub(r"\{\w+\}", lambda _: data.draw(PLACES), data.draw(SENT_TO))
    token = served.session.token(unquote(path), served.seat.shift)
    body = urlencode({**data.draw(FIELDS), "token": token}, errors="surrogatepass").encode()
    head = [
        f"POST {path} HTTP/1.1", f"Host: 127.0.0.1:{served.port}", f"Origin: http://127.0.0.1:{served.port}",
        f"Cookie: {COOKIE}={served.session.id}", "Content-Type: application/x-www-form-urlencoded",
        f"Content-Length: {len(body)}", "Connection: close",
    ]  # fmt: skip
    return "\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + body


def request(served: Served, data: st.DataObject) -> bytes:
    """Whatever somebody sends who has no token."""
    raw = data.draw(st.none() | st.none() | st.binary(max_size=80))
    if raw is not None:
        return raw
    method, path, query, more, body = data.draw(REQUESTS)
    head = [f"{method} {path}?{query} HTTP/1.1", f"Host: 127.0.0.1:{served.port}", "Connection: close"]
    head += [f"Cookie: {COOKIE}={served.session.id}"] if data.draw(st.sampled_from([True, True, False])) else []
    head += [f"{name}: {value}" for name, value in more]
    return "\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + body


@pytest.mark.socket
@pytest.mark.parametrize("make", [request, form])
@rounds
@given(data=st.data())
def test_http(
    served: Served,
    caplog: pytest.LogCaptureFixture,
    make: Callable[[Served, st.DataObject], bytes],
    data: st.DataObject,
) -> None:
    sent, shift = make(served, data), served.seat.shift
    caplog.clear()
    answer = b""
    with (
        caplog.at_level(logging.ERROR),
        contextlib.suppress(ConnectionError),
        socket.create_connection(("127.0.0.1", served.port), timeout=20) as line,
    ):
        line.sendall(sent)
        if make is not form:  # of a form it is said how long it is
            line.shutdown(socket.SHUT_WR)
        answer = line.recv(200)
    assert not answer.startswith((b"HTTP/1.1 500", b"HTTP/1.0 500"))
    assert answer == b"" or answer.startswith(b"HTTP/1.")
    if make is form and answer:
        path, token = sent.split()[1].decode(), parse_qs(sent.partition(b"\r\n\r\n")[2].decode())["token"][0]
        spent = served.session.spend(token, unquote(path), served.seat.shift)
        assert spent is Token.USED or served.seat.shift != shift, "its function was not reached"
    assert [record.getMessage() for record in caplog.records] == []
