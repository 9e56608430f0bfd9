"""Models from an address: cut, wrong, refused, full, half-made."""

from __future__ import annotations

import errno
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from models.catalog import Catalog, box, fetching, store, web
from models.catalog.entries import Address, Folder
from models.catalog.fetching import Fetcher, NotFetchedError
from schemas.errors import ModelMissingError, StorageFullError
from tests.unit.models.catalog.fetching_rig import CARD, WEIGHTS, Hub, Shelf, address, fetch, filled, model_of, serving


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
