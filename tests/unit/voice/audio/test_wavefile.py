"""Reading and writing sound files: every way in which a file can be bad gets a clear error and loses nothing."""

from __future__ import annotations

import errno
import os
import resource
import struct
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import soundfile

from schemas.errors import AudioFileError, StorageFullError
from schemas.events import FRAME, SAMPLE_RATE, Samples
from voice.audio.earcon import chime
from voice.audio.wavefile import WaveSink, WaveSource, read, write


def tone(seconds: float, rate: int = SAMPLE_RATE, hertz: float = 440.0) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return 0.5 * np.sin(2.0 * np.pi * hertz * np.arange(round(seconds * rate)) / rate)


def wave_bytes(sound: bytes, *, size: int | None = None, rate: int = 16_000, channels: int = 1) -> bytes:
    """A PCM WAV whose data chunk says `size`."""
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, channels, rate, rate * 2 * channels, 2 * channels, 16)
    data = struct.pack("<4sI", b"data", len(sound) if size is None else size) + sound
    return struct.pack("<4sI4s", b"RIFF", min(0xFFFFFFFF, 4 + len(form) + len(data)), b"WAVE") + form + data


@pytest.mark.parametrize("rate", [8_000, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000])
@pytest.mark.parametrize("channels", [1, 2, 6])
@pytest.mark.parametrize("subtype", ["PCM_16", "PCM_24", "FLOAT"])
def test_any_rate_width_and_number_of_channels(tmp_path: Path, rate: int, channels: int, subtype: str) -> None:
    path = tmp_path / "sound.wav"
    soundfile.write(path, np.repeat(tone(1.0, rate)[:, None], channels, axis=1), rate, subtype=subtype)
    samples = read(path)
    assert samples.dtype == np.int16 and samples.ndim == 1
    assert abs(samples.size - SAMPLE_RATE) <= 1
    expected = 32768.0 * tone(1.0)
    inner = slice(400, -400)
    assert np.abs(samples[:SAMPLE_RATE][inner] - expected[: samples.size][inner]).max() < 40


@pytest.mark.parametrize("suffix", ["wav", "flac"])
def test_16_khz_mono_is_read_as_it_is(tmp_path: Path, suffix: str) -> None:
    samples = np.random.default_rng(1).integers(-32768, 32768, 100_000).astype(np.int16)
    write(tmp_path / f"sound.{suffix}", samples)
    assert np.array_equal(read(tmp_path / f"sound.{suffix}"), samples)


def test_8_bit_and_companded_sound(tmp_path: Path) -> None:
    for subtype in ("PCM_U8", "ULAW", "ALAW"):
        soundfile.write(tmp_path / "sound.wav", tone(0.5), SAMPLE_RATE, subtype=subtype)
        assert np.abs(read(tmp_path / "sound.wav") - 32768.0 * tone(0.5)).max() < 700


def test_float_samples_beyond_full_scale_are_clipped(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "loud.wav", np.asarray([0.0, 3.0, -3.0]), SAMPLE_RATE, subtype="FLOAT")
    assert read(tmp_path / "loud.wav").tolist() == [0, 32767, -32768]


def test_a_stream_of_unknown_length_is_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "streamed.wav"
    for size in (0x7FFFF000, 0xFFFFFFFF):
        path.write_bytes(wave_bytes(np.arange(1000, dtype="<i2").tobytes(), size=size))
        assert read(path).tolist() == list(range(1000))


BAD: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is empty"),
    "no samples": (wave_bytes(b""), "no sound"),
    "header cut short": (wave_bytes(b"\0\0" * 100)[:20], "cannot be read"),
    "data cut short": (wave_bytes(b"\0\0" * 100, size=20_000), "20000 bytes of sound, 200 are there"),
    "text": (b"dear diary, " * 50, "cannot be read"),
    "header of rubbish": (b"RIFF" + bytes(range(200)), "cannot be read"),
    "no rate": (wave_bytes(b"\0\0" * 100, rate=1), "1 samples a second"),
    "no channels": (wave_bytes(b"\0\0" * 100, channels=0), "cannot be read"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_is_named_with_its_fault(tmp_path: Path, case: str) -> None:
    content, fault = BAD[case]
    path = tmp_path / "bad.wav"
    path.write_bytes(content)
    with pytest.raises(AudioFileError, match=fault) as caught:
        read(path)
    assert str(path) in str(caught.value)
    assert path.read_bytes() == content


def test_a_flac_that_is_cut_short_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cut.flac"
    write(path, np.random.default_rng(1).integers(-9000, 9000, 100_000).astype(np.int16))
    path.write_bytes(path.read_bytes()[:100_000])
    with pytest.raises(AudioFileError, match=r"cut short|cannot be read"):
        read(path)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_samples_that_are_no_numbers_are_refused(tmp_path: Path, value: float) -> None:
    sound = tone(1.0)
    sound[5000] = value
    soundfile.write(tmp_path / "nan.wav", sound, SAMPLE_RATE, subtype="FLOAT")
    with pytest.raises(AudioFileError, match="not numbers"):
        read(tmp_path / "nan.wav")


def test_missing_files_and_folders_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(AudioFileError, match="does not exist"):
        read(tmp_path / "absent.wav")
    with pytest.raises(AudioFileError, match="not a file"):
        read(tmp_path)


def test_too_long_a_file_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "long.wav", np.zeros(3 * SAMPLE_RATE, np.int16))
    assert read(tmp_path / "long.wav", limit_s=3.0).size == 3 * SAMPLE_RATE
    with pytest.raises(AudioFileError, match=r"longer than 2\.9 s"):
        read(tmp_path / "long.wav", limit_s=2.9)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    path = tmp_path / "sound.wav"
    write(path, np.zeros(100, np.int16))
    before = path.read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageFullError, match=r"sound\.wav"):
        write(path, np.ones(100, np.int16))
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@contextmanager
def small_files() -> Generator[None]:
    """The system itself refuses files of more than 4 kB. Not a fixture: pytest's own output may be such a file."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_limit_of_the_system_leaves_nothing_behind(tmp_path: Path) -> None:
    with small_files(), pytest.raises(StorageFullError):
        write(tmp_path / "sound.wav", np.zeros(100_000, np.int16))
    assert list(tmp_path.iterdir()) == []


def test_writing_into_no_folder_or_as_no_sound_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AudioFileError, match="cannot be written"):
        write(tmp_path / "absent" / "sound.wav", np.zeros(10, np.int16))
    with pytest.raises(ValueError, match=r"\.mp3"):
        write(tmp_path / "sound.mp3", np.zeros(10, np.int16))


def test_two_channels_are_written_side_by_side(tmp_path: Path) -> None:
    pair = np.stack([np.arange(100), -np.arange(100)], axis=1).astype(np.int16)
    write(tmp_path / "pair.wav", pair, 8000)
    stored, rate = soundfile.read(tmp_path / "pair.wav", dtype="int16")
    assert rate == 8000 and np.array_equal(stored, pair)


def test_a_source_puts_silence_around_and_fills_the_last_frame() -> None:
    source = WaveSource(np.ones(1000, np.int16), lead_s=0.1, tail_s=0.2)
    frames = list(source.frames())
    whole = np.concatenate(frames)
    assert all(frame.size == FRAME for frame in frames)
    assert np.flatnonzero(whole).tolist() == list(range(1600, 2600))
    assert whole.size >= 1600 + 1000 + 3200 and source.position == whole.size
    assert source.seconds == whole.size / SAMPLE_RATE


def test_a_second_reader_goes_on_where_the_first_stopped() -> None:
    source = WaveSource(np.arange(3 * FRAME, dtype=np.int16))
    first = next(source.frames())
    rest = list(source.frames())
    assert np.array_equal(np.concatenate([first, *rest]), np.arange(3 * FRAME))


def test_a_sink_keeps_what_was_heard_where_it_was_heard() -> None:
    now = 0.0
    sink = WaveSink(lambda: now)
    piece: Samples = np.full(SAMPLE_RATE, 7, np.int16)
    now = 1.0
    assert sink.play(piece) == pytest.approx(1.0)
    assert sink.play(piece) == pytest.approx(2.0)
    now = 2.5
    sink.stop()
    now = 4.0
    assert sink.play(piece[:1600]) == pytest.approx(0.1)
    track = sink.track(5.0)
    assert track.size == 5 * SAMPLE_RATE
    heard = np.flatnonzero(track) / SAMPLE_RATE
    assert heard.size == round(1.6 * SAMPLE_RATE)
    assert (heard[0], heard[24_000 - 1], heard[24_000]) == pytest.approx((1.0, 2.5, 4.0), abs=1e-3)


@pytest.mark.parametrize("name", ["listening", "done", "error"])
def test_a_chime_is_short_and_does_not_click(name: str) -> None:
    sound = chime(name)  # pyright: ignore[reportArgumentType]  the names are the literals
    assert 0.1 < sound.size / SAMPLE_RATE < 0.4
    assert sound[0] == 0 and abs(int(sound[-1])) < 50
    assert 3000 < np.abs(sound.astype(np.int32)).max() < 10_000
    assert np.abs(np.diff(sound.astype(np.int32))).max() < 3500
    assert chime(name) is sound and not sound.flags.writeable  # pyright: ignore[reportArgumentType]


def test_chimes_differ_and_unknown_ones_are_refused() -> None:
    assert len({chime("listening").tobytes(), chime("done").tobytes(), chime("error").tobytes()}) == 3
    with pytest.raises(ValueError, match="listening, done, error"):
        chime("gong")  # pyright: ignore[reportArgumentType]  on purpose
