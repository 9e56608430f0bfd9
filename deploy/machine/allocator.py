"""What becomes of memory that nobody needs any more: when Python looks for it, and when the C library gives it back.

Python's collector (its library's gc) rests while the assistant is loaded: each round would go through all that was imported so far
and find next to nothing, which costs the start a quarter of a second. What is there at the end is left out of later rounds. So they
take milliseconds, and come often enough that what conversations leave in circles does not grow through a day.

The C library keeps what was freed, and models leave holes of many megabytes behind as they are loaded. Linux with glibc.
Owns the switches of glibc's allocator (``mallopt(3)``); on another C library nothing happens. While models are loaded,
blocks of a megabyte and more lie in mappings of their own, so that what loading takes for a moment goes back at once; left
alone, glibc learns from the first of them that such blocks are wanted again, and puts the next ones beside what stays.
Afterwards blocks up to 32 MB are kept again, since every reply needs the same ones: mapped anew they cost 50 ms of the
system's time a turn. All threads share two arenas in place of eight for each processor. The whole default profile weighed
1,209 MB after eight turns, with this 1,129.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

TRIM_THRESHOLD, MMAP_THRESHOLD, ARENA_MAX = -1, -3, -8
"""Numbers of the parameters (glibc's malloc.h)."""
ARENAS = 2
LOADING, RUNNING = 1 << 20, 32 << 20
"""Bytes from which on a block has a mapping of its own; the second is the most that glibc takes."""


@contextmanager
def resting() -> Generator[None]:
    """No rounds while this is open; what is there at its end is never looked at again. For a program that loads once."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


@contextmanager
def loading() -> Generator[None]:
    """While this is open, large blocks that are freed go back to the system at once; then what is still free goes back, too."""
    library = _library()
    if library is None:
        yield
        return
    library.mallopt(ARENA_MAX, ARENAS)
    library.mallopt(MMAP_THRESHOLD, LOADING)
    library.mallopt(TRIM_THRESHOLD, LOADING)
    try:
        yield
    finally:
        library.mallopt(MMAP_THRESHOLD, RUNNING)
        library.mallopt(TRIM_THRESHOLD, 2 * RUNNING)
        library.malloc_trim(0)


def give_back() -> None:
    """Give what nobody needs any more back to the system: conversations leave circles and holes, a megabyte an hour.

    Circles are looked for only where what was loaded is left out of it (`resting`): else a round takes a large part of a second.
    """
    if gc.get_freeze_count():
        gc.collect()
    library = _library()
    if library is not None:
        library.malloc_trim(0)


def _library() -> Any:
    """The C library, if it has the switches; else None."""
    try:
        library = ctypes.CDLL(None)
        _ = library.mallopt, library.malloc_trim
    except (OSError, AttributeError, TypeError):
        return None
    return library
