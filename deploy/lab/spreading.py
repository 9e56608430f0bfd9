"""Cases of an evaluation shared out to several processes, here or on other computers, by Dask (extra ``cluster``).

Owns the cluster and the order of what comes back. What is asked and how it is judged is the evaluation's own: the same cases give
the same results wherever they are played, times apart. Processes here speak TLS with certificates of this run, since whoever can
reach a scheduler can run code; for a scheduler elsewhere that is for whoever started it to see to.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from deploy.lab.report.blocks import Progress
from schemas.errors import ConfigError, EngineMissingError

Case = TypeVar("Case")
Seen = TypeVar("Seen")
REACHED_S = 10
"""Seconds in which a scheduler must answer."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Where to."""

    workers: int = 1
    """Processes on this computer; one is this one alone, without Dask."""
    scheduler: str | None = None
    """``host:port`` of a scheduler that runs already, in their place."""

    def __bool__(self) -> bool:
        """Whether to more than this process."""
        return self.workers > 1 or self.scheduler is not None

    def each(self, play: Callable[[Case], Seen], cases: Sequence[Case], what: str, tell: Progress) -> list[Seen]:
        """Play every case somewhere; what was seen of each, in the order of the cases.

        Args:
            play: one case; it and what it gives are pickled.
            cases: all of them.
            what: they are, for ``tell``.
            tell: told how far it is.

        Raises:
            schemas.errors.EngineMissingError: Dask is not installed.
            schemas.errors.ConfigError: the scheduler does not answer, or has no worker.
            Exception: what a case raised, the first of them.
        """
        with self._client() as client:
            distributed = _dask()
            waiting = client.map(play, cases, pure=False)
            for done, _ in enumerate(distributed.as_completed(waiting)):
                tell(what, done, len(cases))
            tell(what, len(cases), len(cases))
            return client.gather(waiting)

    @contextmanager
    def _client(self) -> Generator[Any]:
        distributed = _dask()
        if self.scheduler is None:
            with (
                distributed.LocalCluster(
                    n_workers=self.workers, threads_per_worker=1, processes=True, host="127.0.0.1", security=True,
                    dashboard_address=None, silence_logs=50, memory_limit=None,
                ) as cluster,
                distributed.Client(cluster) as client,
            ):  # fmt: skip
                yield client
            return
        try:
            client = distributed.Client(self.scheduler, timeout=REACHED_S)
        except (OSError, ValueError) as error:
            raise ConfigError(f"--scheduler {self.scheduler} does not answer: {error}") from error
        with client:
            if not client.scheduler_info()["workers"]:
                raise ConfigError(f"--scheduler {self.scheduler} has no worker: start `dask worker {self.scheduler}`")
            yield client


def _dask() -> Any:
    try:
        import distributed
    except ImportError:
        raise EngineMissingError("--workers and --scheduler need Dask: pip install 'glovebox[cluster]'") from None
    return distributed
