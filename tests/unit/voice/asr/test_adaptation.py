"""An adaptation of Whisper: added in memory where it belongs, told in a sentence and left out where it does not."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from models.commands.matcher import TemplateMatcher
from models.runtime.ct2_file import Adaptation, patched, read, tensors
from models.training.voices import Prosody, available, speak
from schemas.errors import ModelDamagedError
from schemas.events import Samples
from tests.networks.whisper import SIZE, WORDS, tiny_whisper
from voice.asr import Hearing, whisper
from voice.asr.whisper import ADAPTATION, WhisperRecognizer

PROJECTION = "decoder/projection/weight"
SOUND: Samples = np.zeros(24_000, np.int16)
SAID = ("Play", "Ġsome", "Ġjazz")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_whisper(tmp_path_factory.mktemp("whisper"), SAID, kept="float16")


def digest(folder: Path) -> str:
    return hashlib.sha256((folder / "model.bin").read_bytes()).hexdigest()


def half(*shape: int) -> NDArray[np.float16]:
    return np.zeros(shape, np.float16)


def la_for_some(folder: Path, **other: Any) -> Adaptation:
    """Wherever the model says "some" it says "la" instead."""
    down, up = half(1, SIZE), half(SIZE, 1)
    down[0, WORDS.index("Ġsome")] = 1.0
    up[WORDS.index("Ġla")] = 6.0  # twice what the projection gives the word itself
    return Adaptation(other.pop("sha256", digest(folder)), {PROJECTION: (down, up), **other})


def heard(recognizer: WhisperRecognizer, samples: Samples = SOUND) -> str:
    recognizer.start()
    recognizer.feed(samples)
    return recognizer.finish().text


def listener(folder: Path, adaptation: Path | None) -> WhisperRecognizer:
    return WhisperRecognizer(folder, lambda _: None, threads=1, adaptation=adaptation)


def test_the_product_is_added_and_nothing_else_changes(folder: Path) -> None:
    before = read(folder / "model.bin")
    change = la_for_some(folder)
    whole = patched((folder / "model.bin").read_bytes(), change)
    after = {one.name: one.of(whole) for one in tensors(whole)}
    assert before.keys() == after.keys() and len(whole) == (folder / "model.bin").stat().st_size
    down, up = change.changes[PROJECTION]
    np.testing.assert_array_equal(after[PROJECTION], before[PROJECTION] + up @ down)
    assert after[PROJECTION][WORDS.index("Ġla"), WORDS.index("Ġsome")] == 6.0
    for name in before.keys() - {PROJECTION}:
        np.testing.assert_array_equal(before[name], after[name])


def test_an_adapted_model_hears_otherwise_and_leaves_nothing_behind(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    kept = digest(folder)
    file = tmp_path / "change.npz"
    la_for_some(folder).save(file)
    ear = listener(folder, file)
    assert (heard(ear), ear.plain) == ("play la jazz", "")
    assert [path.name for path in tmp_path.iterdir()] == ["change.npz"] and digest(folder) == kept
    assert heard(listener(folder, None)) == "play some jazz"


def test_an_adaptation_comes_back_as_it_was_kept(folder: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    pair = rng.normal(0.0, 0.01, (4, SIZE)).astype(np.float16), rng.normal(0.0, 2.0, (SIZE, 4)).astype(np.float16)
    change = Adaptation(digest(folder), {PROJECTION: pair})
    change.save(tmp_path / "change.npz")
    again = Adaptation.load(tmp_path / "change.npz")
    assert again.sha256 == change.sha256 and again.changes.keys() == change.changes.keys()
    for kept, came in zip(pair, again.changes[PROJECTION], strict=True):
        assert came.dtype == np.float16
        rows = np.abs(kept).max(axis=1, keepdims=True)
        assert np.all(np.abs(kept.astype(np.float32) - came.astype(np.float32)) <= rows * 0.006)


def test_an_adaptation_may_be_kept_in_halves_of_a_float(folder: Path, tmp_path: Path) -> None:
    change = la_for_some(folder)
    down, up = change.changes[PROJECTION]
    arrays: dict[str, Any] = {"sha256": np.array(change.sha256), PROJECTION + ".down": down, PROJECTION + ".up": up}
    np.savez(tmp_path / "change.npz", **arrays)
    assert heard(listener(folder, tmp_path / "change.npz")) == "play la jazz"


def of_another(folder: Path, file: Path) -> None:
    la_for_some(folder, sha256="0" * 64).save(file)


def of_other_variables(folder: Path, file: Path) -> None:
    la_for_some(folder, **{"decoder/layer_9/weight": (half(1, 4), half(4, 1))}).save(file)


def of_other_shapes(folder: Path, file: Path) -> None:
    la_for_some(folder, **{"decoder/embeddings/weight": (half(1, 4), half(4, 1))}).save(file)


def cut(folder: Path, file: Path) -> None:
    la_for_some(folder).save(file)
    file.write_bytes(file.read_bytes()[:200])


def empty(folder: Path, file: Path) -> None:
    file.write_bytes(b"")


def an_array(folder: Path, file: Path) -> None:
    with file.open("wb") as stream:
        np.save(stream, half(2, 2))


def foreign(folder: Path, file: Path) -> None:
    np.savez(file, words=np.array(["no", "adaptation"], dtype=object))


def half_of_a_pair(folder: Path, file: Path) -> None:
    arrays: dict[str, Any] = {"sha256": np.array(digest(folder)), PROJECTION + ".down": half(1, SIZE)}
    np.savez(file, **arrays)


def a_pair_that_does_not_fit(folder: Path, file: Path) -> None:
    Adaptation(digest(folder), {PROJECTION: (half(2, SIZE), half(SIZE, 1))}).save(file)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (of_another, "belongs to another model"),
        (of_other_variables, "changes decoder/layer_9/weight, which the model has not"),
        (of_other_shapes, "does not fit decoder/embeddings/weight"),
        (cut, "is no adaptation"),
        (empty, "is no adaptation"),
        (an_array, "is no adaptation"),
        (foreign, "is no adaptation"),
        (half_of_a_pair, "is no adaptation"),
        (a_pair_that_does_not_fit, "does not fit itself"),
        (None, "is no adaptation"),
    ],
)
def test_what_cannot_be_added_is_told_and_left_out(
    folder: Path, tmp_path: Path, make: Callable[[Path, Path], None] | None, told: str
) -> None:
    file = tmp_path / "change.npz"
    if make is not None:
        make(folder, file)
    ear = listener(folder, file)
    assert heard(ear) == "play some jazz"
    assert told in ear.plain and "as its makers made it: " in ear.plain and "\n" not in ear.plain


def test_where_no_file_can_be_made_the_model_is_used_as_it_is(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    la_for_some(folder).save(tmp_path / "change.npz")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "not there"))
    ear = listener(folder, tmp_path / "change.npz")
    assert heard(ear) == "play some jazz" and "as its makers made it: " in ear.plain


@pytest.mark.parametrize("kept", [0, 3, 60, 1_000, -1])
def test_a_model_file_cut_short_is_said_to_be_damaged(folder: Path, tmp_path: Path, kept: int) -> None:
    (tmp_path / "model.bin").write_bytes((folder / "model.bin").read_bytes()[:kept])
    with pytest.raises(ModelDamagedError):
        read(tmp_path / "model.bin")


def test_a_file_that_is_no_model_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"no model" * 1_000)
    with pytest.raises(ModelDamagedError):
        read(tmp_path / "model.bin")


def test_the_engine_of_the_table_takes_the_built_in_adaptation_and_tells_what_it_does_without(
    folder: Path, tmp_path: Path
) -> None:
    told: list[str] = []
    matcher = TemplateMatcher()

    def opened() -> str:
        told.clear()
        return heard(whisper.opened(Hearing(lambda: matcher, lambda _: tmp_path, 1, folder, told.append)))

    assert (opened(), told) == ("play some jazz", [])
    la_for_some(folder).save(tmp_path / ADAPTATION)
    assert (opened(), told) == ("play la jazz", [])
    of_another(folder, tmp_path / ADAPTATION)
    assert opened() == "play some jazz"
    (line,) = told
    assert line.endswith("the adaptation belongs to another model")


def test_nothing_added_to_whisper_base_changes_no_word(real_models: Callable[[str], Path], tmp_path: Path) -> None:
    if not available():
        pytest.skip("espeak-ng is not installed: nobody there to speak")
    folder = real_models("whisper-base")
    nothing = {
        name: (half(4, matrix.shape[1]), half(matrix.shape[0], 4))
        for name, matrix in read(folder / "model.bin").items()
        if matrix.ndim == 2 and matrix.dtype == np.float16 and name.endswith("/weight")
    }
    assert (
        len(nothing) == 67
    )  # 6 layers of 4 and 6 of 6 matrices (q, k, v are one; of the other attention k, v), the words
    file = tmp_path / "nothing.npz"
    Adaptation(digest(folder), nothing).save(file)
    plain, ear = listener(folder, None), listener(folder, file)
    assert ear.plain == ""
    for text in ("open the passenger window halfway", "will it rain tomorrow"):
        samples = speak(text, Prosody("en-us+m6", 150, 50))
        assert heard(ear, samples) == heard(plain, samples) != ""
