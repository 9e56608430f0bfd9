"""The microphone's frames, live: all of them, in order, and how often the loop is woken for them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import numpy as np
import pytest

from schemas.errors import AudioDeviceError
from schemas.events import FRAME, Samples
from voice.frames import WAITING, FrameReader

PATIENCE_S = 30.0


def numbered(count: int) -> Iterator[Samples]:
    for number in range(count):
        yield np.full(FRAME, number, np.int16)


async def all_of(reader: FrameReader) -> list[int]:
    read: list[int] = []
    while (frame := await reader.next()) is not None:
        read.append(int(frame[0]))
    return read


@pytest.mark.parametrize("together", [1, 3])
@pytest.mark.parametrize("count", [0, 1, 4, 10 * WAITING])
def test_all_frames_come_in_order_however_many_are_taken_up_at_once(together: int, count: int) -> None:
    async def read() -> list[int]:
        return await all_of(FrameReader(numbered(count), lambda: together))

    assert asyncio.run(read()) == list(range(count))


def test_nobody_is_woken_before_there_are_enough_frames() -> None:
    begin, go_on, two = threading.Event(), threading.Event(), threading.Event()

    def frames() -> Iterator[Samples]:
        assert begin.wait(PATIENCE_S)
        for number, frame in enumerate(numbered(3)):
            if number == 2:
                two.set()
                assert go_on.wait(PATIENCE_S)
            yield frame

    async def read() -> tuple[bool, list[int]]:
        reader = FrameReader(frames(), lambda: 3)
        first = asyncio.create_task(reader.next())
        await asyncio.sleep(0)  # it waits now
        begin.set()
        await asyncio.to_thread(two.wait, PATIENCE_S)
        early = first.done()
        go_on.set()
        frame = await first
        assert frame is not None
        return early, [int(frame[0]), *await all_of(reader)]

    assert asyncio.run(read()) == (False, [0, 1, 2])


def test_no_more_frames_wait_than_the_loop_may_be_behind() -> None:
    taken: list[int] = []
    full = threading.Event()

    def frames() -> Iterator[Samples]:
        for number, frame in enumerate(numbered(10 * WAITING)):
            taken.append(number)
            if number == WAITING:
                full.set()
            yield frame

    async def read() -> tuple[int, int]:
        reader = FrameReader(frames(), lambda: 1)
        await asyncio.to_thread(full.wait, PATIENCE_S)
        waiting = len(taken)
        return waiting, len(await all_of(reader))

    assert asyncio.run(read()) == (WAITING + 1, 10 * WAITING)


def test_a_microphone_that_fails_for_good_is_told_after_its_last_frame() -> None:
    def frames() -> Iterator[Samples]:
        yield from numbered(2)
        raise AudioDeviceError("gone")

    async def read() -> None:
        reader = FrameReader(frames(), lambda: 3)
        assert [await reader.next() is not None for _ in range(2)] == [True, True]
        await reader.next()

    with pytest.raises(AudioDeviceError, match="gone"):
        asyncio.run(read())


def test_a_reader_that_is_closed_reads_no_more_even_if_nobody_took_its_frames() -> None:
    ended = threading.Event()

    def frames() -> Iterator[Samples]:
        try:
            yield from numbered(10 * WAITING)
        finally:
            ended.set()

    async def read() -> None:
        FrameReader(frames(), lambda: 1).close()

    asyncio.run(read())
    assert ended.wait(PATIENCE_S)
