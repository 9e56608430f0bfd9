from __future__ import annotations

import errno
import shutil
from pathlib import Path

import pytest

from models.catalog import Catalog, shelf
from models.catalog.seal import contents, main, seal
from models.catalog.shelf import BUILTIN, CATALOG
from models.catalog.store import sha256
from schemas.errors import ModelDamagedError, ModelMissingError, StorageFullError

TEXT = """
[[model]]
id = "small"
role = "wake"
source = "builtin"
folder = "small"
entry = "*.bin"
licence = "Apache-2.0"
origin = "made by this test"
files = []

[[model]]
id = "brought"
role = "tts"
source = "weights"
entry = "*.onnx"
names = ["*.onnx", "*.onnx.json"]
licence = "MIT"
origin = "nowhere"
files = []

[[model]]
id = "carried"
role = "asr"
source = "package"
package = "schemas"
entry = "."
licence = "Apache-2.0"
origin = "a package"
files = []
"""


@pytest.fixture
def device(tmp_path: Path) -> Path:
    """A catalogue of its own, one built-in model sealed, one to import on a stick."""
    (tmp_path / "builtin" / "small").mkdir(parents=True)
    (tmp_path / "builtin" / "small" / "a.bin").write_bytes(b"weights")
    (tmp_path / "builtin" / "small" / "CARD.md").write_text("a card", encoding="utf-8")
    (tmp_path / "stick").mkdir()
    (tmp_path / "stick" / "voice.onnx").write_bytes(b"voice")
    (tmp_path / "stick" / "voice.onnx.json").write_text("{}", encoding="utf-8")
    (tmp_path / "catalog.toml").write_text(TEXT, encoding="utf-8")
    assert seal(tmp_path / "catalog.toml", tmp_path / "builtin") == ["small"]
    return tmp_path


def opened(device: Path) -> Catalog:
    return Catalog(device / "data" / "models", builtin=device / "builtin", file=device / "catalog.toml")


def test_the_catalogue_matches_the_built_in_files() -> None:
    catalog = Catalog()
    for model in catalog.models:
        if model.source == "builtin":
            there = contents(model, catalog, BUILTIN)
            assert model.files == there, f"{model.id}: run `python -m models.catalog seal`"
            assert there, f"{model.id} has no files"
            assert catalog.verify(model) == sum(file.bytes for file in there)


def test_every_built_in_folder_is_in_the_catalogue_and_has_a_card() -> None:
    known = {model.folder for model in Catalog().models if model.source == "builtin"}
    assert {path.name for path in BUILTIN.iterdir() if path.is_dir()} == known
    assert [name for name in sorted(map(str, known)) if not list((BUILTIN / name).glob("*.md"))] == []


def test_the_built_in_weights_stay_under_their_budget() -> None:
    assert sum(model.bytes for model in Catalog().models if model.source == "builtin") < 60_000_000


@pytest.mark.parametrize("profile", ["default", "small", "pi5", "jetson"])
def test_ids_are_unique_and_configurations_name_models_of_the_right_role(profile: str) -> None:
    from deploy.config import load_config

    models = {model.id: model for model in Catalog().models}
    assert len(models) == len(Catalog().models)
    config = load_config(environment={"HOME": "/h", "GLOVEBOX_PROFILE": profile})
    chosen = {"wake": (config.wake.model,), "vad": (config.vad.model,), "encoder": (config.encoder.model,)}
    chosen |= {"asr": config.asr.model, "tts": config.tts.model, "talker": config.talker.model}
    for role, names in chosen.items():
        assert {models[name].role for name in names} <= {role}
    assert all(models[name].ways for name in config.talker.model)


def test_find_gives_a_file_by_id_and_a_path_as_it_is(device: Path) -> None:
    catalog = opened(device)
    assert catalog.find("small") == device / "builtin" / "small" / "a.bin"
    assert catalog.find(str(device / "stick")) == device / "stick"
    assert catalog.find("carried").name == "schemas"


def test_find_says_what_is_missing(device: Path) -> None:
    catalog = opened(device)
    with pytest.raises(ModelMissingError, match="there is no model 'smal' in the catalogue; it has small, brought"):
        catalog.find("smal")
    with pytest.raises(ModelMissingError, match="there is no model at"):
        catalog.find(str(device / "none"))
    with pytest.raises(
        ModelMissingError, match=r"is not here; get it \(nowhere\) and run `glovebox models import brought FOLDER`"
    ):
        catalog.find("brought")
    (device / "builtin" / "small" / "a.bin").unlink()
    with pytest.raises(ModelMissingError, match=r"a\.bin of model small is missing"):
        catalog.find("small")


@pytest.mark.parametrize("content", [b"weight", b"Weights", b"weights and more", b""])
def test_a_changed_or_truncated_file_is_damaged_and_both_digests_are_named(device: Path, content: bytes) -> None:
    good = sha256(device / "builtin" / "small" / "a.bin")
    path = device / "builtin" / "small" / "a.bin"
    path.write_bytes(content)
    with pytest.raises(ModelDamagedError) as caught:
        opened(device).find("small")
    assert good[:12] in str(caught.value) and sha256(path)[:12] in str(caught.value) and str(path) in str(caught.value)


def test_an_imported_model_is_checked_from_then_on(device: Path) -> None:
    catalog = opened(device)
    catalog.import_model("brought", device / "stick")
    shutil.rmtree(device / "stick")
    path = catalog.find("brought")
    assert path == device / "data" / "models" / "brought" / "voice.onnx"
    assert catalog.present(catalog.model("brought"))
    path.write_bytes(b"vo")
    with pytest.raises(ModelDamagedError, match="glovebox models import brought"):
        catalog.find("brought")


def test_importing_again_replaces(device: Path) -> None:
    catalog = opened(device)
    catalog.import_model("brought", device / "stick")
    (device / "stick" / "voice.onnx").write_bytes(b"another voice")
    catalog.import_model("brought", device / "stick")
    assert catalog.find("brought").read_bytes() == b"another voice"


def test_an_import_needs_every_file_once(device: Path) -> None:
    catalog = opened(device)
    (device / "stick" / "second.onnx").write_bytes(b"x")
    with pytest.raises(ModelMissingError, match=r"2 files like \*\.onnx"):
        catalog.import_model("brought", device / "stick")
    (device / "stick" / "second.onnx").unlink()
    (device / "stick" / "voice.onnx.json").unlink()
    with pytest.raises(ModelMissingError, match=r"no file like \*\.onnx\.json"):
        catalog.import_model("brought", device / "stick")
    with pytest.raises(ModelMissingError, match="comes with Glovebox"):
        catalog.import_model("small", device / "stick")
    assert not (device / "data").exists()


def test_a_full_disk_leaves_the_former_import_as_it_was(device: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalog = opened(device)
    catalog.import_model("brought", device / "stick")

    def full(_: Path, target: Path) -> None:
        target.write_bytes(b"ha")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(shelf.shutil, "copyfile", full)
    with pytest.raises(StorageFullError):
        catalog.import_model("brought", device / "stick")
    assert catalog.find("brought").read_bytes() == b"voice"
    assert sorted(path.name for path in (device / "data" / "models").iterdir()) == [".lock", "brought"]


def test_a_broken_manifest_is_damage(device: Path) -> None:
    catalog = opened(device)
    catalog.import_model("brought", device / "stick")
    (device / "data" / "models" / "brought" / "manifest.json").write_text("{", encoding="utf-8")
    with pytest.raises(ModelDamagedError, match="glovebox models import brought"):
        catalog.find("brought")


def test_sealing_keeps_what_was_written_by_hand(device: Path) -> None:
    before = (device / "catalog.toml").read_text("utf-8")
    assert seal(device / "catalog.toml", device / "builtin") == []
    assert (device / "catalog.toml").read_text("utf-8") == before
    (device / "builtin" / "small" / "b.json").write_text("{}", encoding="utf-8")
    assert seal(device / "catalog.toml", device / "builtin") == ["small"]
    assert [file.path for file in opened(device).model("small").files] == ["a.bin", "b.json"]
    assert 'origin = "nowhere"' in (device / "catalog.toml").read_text("utf-8")


def test_models_that_share_a_folder_have_their_own_files_each(device: Path) -> None:
    file, folder = device / "catalog.toml", device / "builtin" / "words"
    folder.mkdir()
    for name in ("one", "two"):
        (folder / f"{name}.onnx").write_bytes(name.encode())
        block = (
            f'\n[[model]]\nid = "word-{name}"\nrole = "wake"\nsource = "builtin"\nfolder = "words"\nentry = "{name}.onnx"\n'
            'licence = "MIT"\norigin = "nowhere"\nfiles = []\n'
        )
        file.write_text(file.read_text("utf-8") + block, encoding="utf-8")
    (folder / "two-check.onnx").write_bytes(b"again")
    assert seal(file, device / "builtin") == ["word-one", "word-two"]
    catalog = opened(device)
    assert [entry.path for entry in catalog.model("word-one").files] == ["one.onnx"]
    assert [entry.path for entry in catalog.model("word-two").files] == ["two-check.onnx", "two.onnx"]
    assert catalog.find("word-one").read_bytes() == b"one"


def test_the_catalogue_on_disk_is_sealed_text() -> None:
    text = CATALOG.read_text("utf-8")
    assert text.startswith("#") and text.endswith("\n") and "\n\n\n" not in text


@pytest.mark.parametrize("text", ["[[model", "[[model]]\nid = 3\n", TEXT.replace('folder = "small"\n', "")])
def test_a_broken_catalogue_is_damage(tmp_path: Path, text: str) -> None:
    path = tmp_path / "catalog.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ModelDamagedError, match="the catalogue"):
        Catalog(file=path)


def test_the_script_wants_its_word(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "seal" in capsys.readouterr().err
