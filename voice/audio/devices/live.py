"""Microphone and loudspeaker of an assistant that runs, put together: one sound card, one health, one caretaker."""

from __future__ import annotations

import logging

from schemas.errors import EngineMissingError
from voice.audio.devices.healing import Caretaker
from voice.audio.devices.health import Health
from voice.audio.devices.loudspeaker import Loudspeaker
from voice.audio.devices.microphone import Microphone
from voice.audio.devices.portaudio import DeviceId, PortAudio, SoundCard
from voice.audio.echo import EchoFilter, Reference

_LOG = logging.getLogger(__name__)


class LiveSound:
    """Sound devices that are looked after from `start` to `close`; each may be missing at any time."""

    def __init__(
        self,
        input_device: DeviceId = None,
        output_device: DeviceId = None,
        *,
        cancel_echo: bool = False,
        backend: PortAudio | None = None,
    ) -> None:
        """Nothing is opened and no library loaded yet.

        Args:
            input_device: The microphone: index or part of the name; None for the system's default.
            output_device: The loudspeaker, likewise.
            cancel_echo: Take the assistant's own voice out of the microphone's sound, if the package for it is there.
            backend: None for the real PortAudio.
        """
        self.health = Health()
        card, reference, echo = SoundCard(backend), Reference(), None
        if cancel_echo:
            try:
                echo = EchoFilter(reference)
            except EngineMissingError as error:
                _LOG.warning("%s", error)
        self.cancels_echo = echo is not None
        """Whether the assistant may listen while it speaks."""
        self.microphone = Microphone(input_device, card=card, health=self.health, echo=echo)
        self.loudspeaker = Loudspeaker(
            output_device, card=card, health=self.health, reference=reference if echo is not None else None
        )
        self._caretaker = Caretaker(card, (self.microphone, self.loudspeaker))

    def start(self) -> None:
        """Open what is there, and look after both from now on.

        Raises:
            schemas.errors.EngineMissingError: PortAudio is not installed.
        """
        self._caretaker.start()

    def close(self) -> None:
        """Release both for good."""
        self._caretaker.stop()
        self.microphone.close()
        self.loudspeaker.close()
