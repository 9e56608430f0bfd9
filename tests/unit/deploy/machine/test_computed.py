"""What is kept from one start to the next: found when it is whole and of the same things, else as if it were not there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import BinaryIO

import pytest

from deploy.car import sayable
from models import computed
from models.commands import kept
from models.commands.kept import matcher_of
from models.commands.matcher import TemplateMatcher
from models.commands.templates import Templates, load_templates

NAMES = sayable({"contact": ("Zofia Quist", "home"), "playlist": ("roadtrip",), "frequency": ("98.5",)})
WITHOUT = frozenset({"fold_mirrors"})


def content(file: BinaryIO | None) -> bytes | None:
    if file is None:
        return None
    with file:
        return file.read()


def test_what_was_kept_is_found_by_its_key(tmp_path: Path) -> None:
    computed.keep(tmp_path / "new", "thing", "aa", lambda file: file.write(b"one"))
    assert content(computed.opened(tmp_path / "new", "thing", "aa")) == b"one"
    assert computed.opened(tmp_path / "new", "thing", "bb") is None
    assert computed.opened(tmp_path / "new", "other", "aa") is None


@pytest.mark.parametrize("damage", [b"", b"on", b"onf", b"one and more"])
def test_a_file_with_other_bytes_is_not_used_and_goes(tmp_path: Path, damage: bytes) -> None:
    computed.keep(tmp_path, "thing", "aa", lambda file: file.write(b"one"))
    (path,) = tmp_path.iterdir()
    path.write_bytes(damage)
    assert computed.opened(tmp_path, "thing", "aa") is None
    assert not list(tmp_path.iterdir())


def test_a_newer_one_takes_the_place_of_the_older_and_of_what_a_kill_left(tmp_path: Path) -> None:
    (tmp_path / ".thing-left").write_bytes(b"half")
    for key in ("aa", "bb"):
        computed.keep(tmp_path, "thing", key, lambda file: file.write(b"one"))
    computed.keep(tmp_path, "other", "aa", lambda file: file.write(b"two"))
    assert sorted(path.name.rpartition("-")[0] for path in tmp_path.iterdir()) == ["other-aa", "thing-bb"]


def test_a_kill_while_it_is_written_leaves_nothing_that_is_found(tmp_path: Path) -> None:
    def killed(file: BinaryIO) -> None:
        file.write(b"on")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        computed.keep(tmp_path, "thing", "aa", killed)
    assert not list(tmp_path.iterdir())


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    computed.keep(tmp_path / "file" / "folder", "thing", "aa", lambda file: file.write(b"one"))
    assert computed.opened(tmp_path / "file" / "folder", "thing", "aa") is None


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[TemplateMatcher, TemplateMatcher, Path]:
    """Compiled, read from what was kept of it, and the file."""
    folder = tmp_path_factory.mktemp("kept")
    made = matcher_of(folder, without=WITHOUT, names=NAMES)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept, "load_templates", None)  # so what comes now was read
        read = matcher_of(folder, without=WITHOUT, names=NAMES)
    (path,) = folder.iterdir()
    return made, read, path


def test_what_is_read_is_what_was_compiled(both: tuple[TemplateMatcher, TemplateMatcher, Path]) -> None:
    made, read, _ = both
    for name in ("language", "wildcards", "lists", "templates", "pronunciations"):
        assert getattr(read.templates, name) == getattr(made.templates, name), name
    assert list(read.templates.lists) == list(made.templates.lists)
    assert list(read.templates.definition["lists"].items()) == list(made.templates.definition["lists"].items())
    assert read.templates.definition["expansion_rules"] == made.templates.definition["expansion_rules"]
    assert (read.graph.arcs, read.graph.blocks, read.open) == (made.graph.arcs, made.graph.blocks, made.open)
    assert [list(arcs) for arcs in read.graph.arcs] == [list(arcs) for arcs in made.graph.arcs]
    assert made.graph.arcs == TemplateMatcher(load_templates(without=WITHOUT, names=NAMES)).graph.arcs


@pytest.mark.parametrize(
    "text",
    [
        "call zofia quist",
        "send zofia quist's number",
        "tune to ninety eight point five",
        "navigate to the moon",
        "21 degrees",
    ],
)
def test_it_understands_the_same(both: tuple[TemplateMatcher, TemplateMatcher, Path], text: str) -> None:
    made, read, _ = both
    assert read.match(text) == made.match(text)
    assert read.standing(text) == made.standing(text)


def test_no_name_of_the_driver_is_in_it(both: tuple[TemplateMatcher, TemplateMatcher, Path]) -> None:
    text = both[2].read_text()
    assert "zofia" not in text.lower()
    assert "roadtrip" not in text.lower()
    assert json.loads(text)["words"]


def test_other_names_another_vehicle_and_other_sources_are_compiled_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys: list[str] = []

    def noted(folder: Path | None, kind: str, key: str) -> None:
        del folder, kind
        keys.append(key)

    def given(**given: object) -> Templates:
        del given
        return small

    monkeypatch.setattr(computed, "opened", noted)
    monkeypatch.setattr(kept, "load_templates", given)
    small = load_templates(Path(kept.__file__).with_name("rules.yaml"), Path(kept.__file__).with_name("control.yaml"))
    matcher_of(tmp_path, without=WITHOUT, names=NAMES)
    matcher_of(tmp_path, without=frozenset(), names=NAMES)
    matcher_of(tmp_path, without=WITHOUT, names=sayable({"contact": ("Anna",), "playlist": ()}))
    monkeypatch.setattr(kept, "_sources", lambda: "changed")
    matcher_of(tmp_path, without=WITHOUT, names=NAMES)
    assert len(set(keys)) == 4
