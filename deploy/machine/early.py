"""What is started first, since it loads beside the rest: the vehicle's process, the voice's program, what hears, what understands.

On two cores they load while the rest of the assistant is still being imported. Owns their ending where the rest fails. Imports
neither dialogue nor memory, which take longest to import.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack

from deploy.behind import start_apart
from deploy.config import Config
from deploy.engines import Engines
from deploy.machine.allocator import loading
from deploy.speech import open_voice
from models.catalog import Catalog
from models.commands.matcher import TemplateMatcher
from models.runtime.onnx_encoder import OnnxEncoder
from schemas.ports import ActParser, Talker


class Early:
    """Begun; whoever takes the parts over closes them, else ``end`` does.

    Attributes:
        commands: to be given what can be said, for which the recogniser waits once it has loaded the rest.
        loading: to be left when everything is loaded: it waits for what loads beside, and gives back what loading took.
    """

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
        self.loading = ExitStack()
        self.loading.enter_context(loading())
        beside = self.loading.enter_context(ThreadPoolExecutor(3, "loading"))
        self.voice = beside.submit(open_voice, config, self.engines)
        self.commands = Future[TemplateMatcher]()
        self.recognizer = beside.submit(self.engines.recognizer, self.commands.result)
        self.understanding = beside.submit(_understanding, self.engines)

    def end(self) -> None:
        """End what was begun."""
        self.commands.cancel()  # nobody waits for them any more
        if self.voice.exception() is None:
            self.voice.result()[0].close()
        if self.apart is not None:
            self.apart.end()


def _understanding(engines: Engines) -> tuple[OnnxEncoder, ActParser, Talker | None]:
    encoder = engines.encoder()
    return encoder, engines.parser(encoder), engines.talker()
