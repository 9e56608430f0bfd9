"""When Python looks for what nobody needs any more (the module gc of its library).

While the assistant is loaded such a round goes through all that was imported so far, again and again, and finds next to nothing:
it costs the start a quarter of a second. What is there at the end stays until the process ends and is left out of later rounds.
So they take milliseconds, and come often enough that what conversations leave in circles does not grow through a day.
"""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def resting() -> Generator[None]:
    """No rounds while this is open; what is there at its end is never looked at again. For a program that loads once."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
