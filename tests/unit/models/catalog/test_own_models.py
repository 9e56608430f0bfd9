"""Models that somebody brings, and a catalogue of one's own: known digests, and what does not fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.catalog import Catalog
from schemas.errors import ModelDamagedError, ModelMissingError
from tests.unit.models.catalog.fetching_rig import WEIGHTS, Shelf, filled, model_of


@pytest.fixture
def known(tmp_path: Path) -> Catalog:
    """A catalogue of the user's own with a model of known digests."""
    own = tmp_path / "models.toml"
    files = "\n".join(
        f'    {{ path = "{file.path}", bytes = {file.bytes}, sha256 = "{file.sha256}" }},' for file in model_of().files
    )
    own.write_text(
        '[[model]]\nid = "brought"\nrole = "talker"\nsource = "weights"\nentry = "*.bin"\nlicence = "MIT"\norigin = "a test"\n'
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
    assert known.trouble == "" and known.model("brought").role == "talker"
    own = tmp_path / "models.toml"
    own.write_text(own.read_text("utf-8").replace(old, new), encoding="utf-8")
    catalog = Catalog(tmp_path / "models", own=own)
    assert needle in catalog.trouble and str(own) in catalog.trouble
    assert {model.id for model in catalog.models} == {model.id for model in Catalog().models}
