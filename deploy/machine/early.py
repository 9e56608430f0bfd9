"""What is started first, since it loads in a program or a thread of its own: the vehicle's process, and the voice's program.

On two cores they load while the rest of the assistant is still being imported. Owns their ending where the rest fails. Imports
neither dialogue nor memory, which take longest to import.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from deploy.behind import start_apart
from deploy.config import Config
from deploy.engines import Engines
from deploy.speech import open_voice
from models.catalog import Catalog


class Early:
    """Begun; whoever takes the parts over closes them, else ``end`` does."""

    def __init__(self, config: Config, *, live: bool) -> None:
        """Begin.

        Args:
            config: the whole configuration.
            live: with the vehicle in a process of its own, where the configuration has one; a drive that is played has its own.

        Raises:
            schemas.errors.ModelError: the catalogue cannot be read.
        """
        self.catalog = Catalog.load(config.data)
        self.engines = Engines(config, self.catalog)
        self.apart = start_apart(config, patient=True) if live else None
        self.beside = ThreadPoolExecutor(2, "loading")
        self.voice = self.beside.submit(open_voice, config, self.engines)

    def end(self) -> None:
        """End what was begun."""
        if self.voice.exception() is None:
            self.voice.result()[0].close()
        if self.apart is not None:
            self.apart.end()
