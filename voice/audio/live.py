"""Microphone and loudspeaker of an assistant that runs, put together: one sound card, one health, one caretaker."""

from __future__ import annotations

from voice.audio.healing import Caretaker
from voice.audio.health import Health
from voice.audio.loudspeaker import Loudspeaker
from voice.audio.microphone import Microphone
from voice.audio.portaudio import DeviceId, PortAudio, SoundCard


class LiveSound:
    """Sound devices that are looked after from `start` to `close`; each may be missing at any time."""

    def __init__(
        self, input_device: DeviceId = None, output_device: DeviceId = None, *, backend: PortAudio | None = None
    ) -> None:
        """Nothing is opened and no library loaded yet.

        Args:
            input_device: The microphone: index or part of the name; None for the system's default.
            output_device: The loudspeaker, likewise.
            backend: None for the real PortAudio.
        """
        self.health = Health()
        card = SoundCard(backend)
        self.microphone = Microphone(input_device, card=card, health=self.health)
        self.loudspeaker = Loudspeaker(output_device, card=card, health=self.health)
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
