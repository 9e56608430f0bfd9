"""The error tree of Glovebox.

Every error carries a stable ``code`` (for logs and ``--json``), an ``exit_code`` (for the shell) and a ``spoken``
sentence that is safe to say aloud in the car. The message says what failed, with which value, and what to do next; it
never holds transcript, memory text or keys.

    GloveboxError                 1
    |-- ConfigError               10   configuration: unknown key, value out of range, missing file
    |-- AudioError                20   sound in or out
    |   |-- AudioFileError        21   missing, empty or corrupt sound file
    |   |-- NoSpeechError         22   the sound holds no voice
    |   `-- AudioDeviceError      23   no such device, or it failed while open
    |-- ModelError                30   models and their runtimes
    |   |-- ModelMissingError     31   a file of the model is not there
    |   |-- ModelDamagedError     32   size or SHA-256 differs from the catalogue
    |   |-- EngineMissingError    33   the package or program that runs the model is not installed
    |   `-- GenerationError       34   what the parser or the language model wrote could not be used
    |-- MemoryStoreError          40   the vault
    |   |-- WrongKeyError         41   the key does not open this vault, or the file is not a vault
    |   |-- VaultBusyError        42   another process holds the vault
    |   |-- VaultVersionError     43   the vault was written by a newer version
    |   |-- KeySourceError        44   the key cannot be had from its source
    |   |-- ConsentError          45   a write that consent forbids (a defect in the caller, never a user's mistake)
    |   |-- UnknownEntryError     46   no such preference, category or driver
    |   |-- ExportError           47   a file that is no export of a memory, or one of a newer version
    |   |-- UnstorableTextError   48   a text that cannot be stored as it is
    |   `-- PinError              49   a driver's PIN is missing or wrong, or nobody may try now
    |-- VehicleError              50   the vehicle's side
    |   |-- AdapterError          51   the adapter failed or lost its connection
    |   |   `-- NotReportedError  56   the vehicle is there and does not report what a request needs
    |   |-- NotMovedError         52   accepted, but the vehicle's current value did not move in time
    |   |-- PartlyDoneError       54   the vehicle took a part of what belongs together
    |   |-- BetweenError          55   what only opens or closes was to stop between the two
    |   `-- ConfirmationError     53   a confirmation that is expired, unknown or for another action
    |-- StorageFullError          60   no space left on the device
    |-- TurnTimeoutError          61   no reply within the limit of a turn
    |-- DemoFailedError           70   the demo ended in another state than it should
    |-- EvaluationDataError       71   a data set is missing or not in the form that its protocol has
    `-- SlowerError               72   a stage is slower than in an earlier run, beyond noise

A denied or unconfirmed action is a *result*, not an error (see ``schemas.events``). Exit code 2 belongs to the command
line itself (wrong usage).
"""

from __future__ import annotations

from typing import ClassVar


class GloveboxError(Exception):
    """Base of all errors that Glovebox raises on purpose; raise a subclass."""

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1
    spoken: ClassVar[str] = "Something went wrong."


class ConfigError(GloveboxError):
    """The configuration cannot be used: the message names the key, the value and the nearest valid one."""

    code = "config"
    exit_code = 10
    spoken = "My configuration has a mistake in it."


class AudioError(GloveboxError):
    """Sound could not be read, captured or played."""

    code = "audio"
    exit_code = 20
    spoken = "I have trouble with the sound."


class AudioFileError(AudioError):
    """A sound file is missing, empty or corrupt."""

    code = "audio_file"
    exit_code = 21
    spoken = "I can't read that sound file."


class NoSpeechError(AudioError):
    """The sound holds no voice."""

    code = "no_speech"
    exit_code = 22
    spoken = "I didn't hear anybody speak."


class AudioDeviceError(AudioError):
    """No such sound device, or it failed while it was open."""

    code = "audio_device"
    exit_code = 23
    spoken = "My microphone or loudspeaker is not working."


class ModelError(GloveboxError):
    """A model or the engine that runs it."""

    code = "model"
    exit_code = 30
    spoken = "One of my models is not working."


class ModelMissingError(ModelError):
    """A file of the model is not there."""

    code = "model_missing"
    exit_code = 31
    spoken = "One of my models is missing."


class ModelDamagedError(ModelError):
    """A model file's size or SHA-256 differs from the catalogue; the message names both digests."""

    code = "model_damaged"
    exit_code = 32
    spoken = "One of my models is damaged."


class EngineMissingError(ModelError):
    """The package or program that runs the model is not installed."""

    code = "engine_missing"
    exit_code = 33
    spoken = "A program that I need is not installed."


class GenerationError(ModelError):
    """What the parser or the language model wrote could not be used, or was not there in time."""

    code = "generation"
    exit_code = 34
    spoken = "I couldn't work that out."


class MemoryStoreError(GloveboxError):
    """The vault could not be opened, read or written."""

    code = "memory"
    exit_code = 40
    spoken = "I can't reach my memory."


class WrongKeyError(MemoryStoreError):
    """The key does not open this vault, or the file is damaged or no vault. Nothing is changed."""

    code = "wrong_key"
    exit_code = 41
    spoken = "The key for my memory does not fit."


class VaultBusyError(MemoryStoreError):
    """Another process holds the vault."""

    code = "vault_busy"
    exit_code = 42
    spoken = "My memory is in use by another program."


class VaultVersionError(MemoryStoreError):
    """The vault was written by a newer version of Glovebox."""

    code = "vault_version"
    exit_code = 43
    spoken = "My memory was written by a newer version."


class KeySourceError(MemoryStoreError):
    """The vault's key cannot be had from its source."""

    code = "key_source"
    exit_code = 44
    spoken = "I can't get the key for my memory."


class ConsentError(MemoryStoreError):
    """A write that the driver's consent forbids. The write path raises it; it means that the caller has a defect."""

    code = "consent"
    exit_code = 45
    spoken = "You asked me not to remember that."


class UnknownEntryError(MemoryStoreError):
    """No such preference, category or driver."""

    code = "unknown_entry"
    exit_code = 46
    spoken = "I don't have that."


class ExportError(MemoryStoreError):
    """A file that is no export of a memory, is damaged, or was written by a newer version. Nothing of it was read in."""

    code = "export"
    exit_code = 47
    spoken = "I can't read that export."


class UnstorableTextError(MemoryStoreError):
    """A text that cannot be stored as it is: no valid Unicode, or too long. Nothing of it was stored."""

    code = "text"
    exit_code = 48
    spoken = "I can't store that text."


class PinError(MemoryStoreError):
    """A driver's PIN, or what stands for it, is missing or wrong, or was tried too often. Nothing is changed."""

    code = "pin"
    exit_code = 49
    spoken = "That needs a PIN: please enter it on the screen."

    def __init__(self, message: str, wait_s: int = 0) -> None:
        """With the seconds until the next try; 0: at once."""
        super().__init__(message)
        self.wait_s = wait_s


class VehicleError(GloveboxError):
    """The vehicle's side failed. A refusal by the gate is not an error."""

    code = "vehicle"
    exit_code = 50
    spoken = "The car did not do that."


class AdapterError(VehicleError):
    """The vehicle adapter failed or lost its connection."""

    code = "adapter"
    exit_code = 51
    spoken = "I lost the connection to the car."


class NotReportedError(AdapterError):
    """The vehicle is there and does not report what a request needs: the answer itself, or from where a step is to go."""

    code = "not_reported"
    exit_code = 56
    spoken = "The car doesn't tell me that."


class NotMovedError(VehicleError):
    """The request was accepted, but the vehicle's current value did not move in time."""

    code = "not_moved"
    exit_code = 52
    spoken = "The car accepted that but nothing moved."


class PartlyDoneError(VehicleError):
    """The vehicle took a part of a request over several signals, and not the rest: what moved shows in its present values."""

    code = "partly_done"
    exit_code = 54
    spoken = "The car did only a part of that."


class BetweenError(VehicleError):
    """What is only opened or closed was to stop between the two: nothing was sent."""

    code = "between"
    exit_code = 55
    spoken = "That only opens or closes all the way; ask me for one of these."


class ConfirmationError(VehicleError):
    """A confirmation that is unknown, expired or bound to another action."""

    code = "confirmation"
    exit_code = 53
    spoken = "That confirmation has expired."


class StorageFullError(GloveboxError):
    """No space left on the device; what was stored before is intact."""

    code = "storage_full"
    exit_code = 60
    spoken = "There is no room left to store anything."


class TurnTimeoutError(GloveboxError):
    """No reply was worked out within the limit of a turn's state."""

    code = "turn_timeout"
    exit_code = 61
    spoken = "That took too long."


class DemoFailedError(GloveboxError):
    """The demo ended with the vehicle or the vault in another state than it should."""

    code = "demo_failed"
    exit_code = 70
    spoken = "The demo did not end as it should."


class EvaluationDataError(GloveboxError):
    """A data set for an evaluation is missing, or not in the form that its protocol has."""

    code = "evaluation_data"
    exit_code = 71
    spoken = "The data for the evaluation cannot be used."


class SlowerError(GloveboxError):
    """A stage is slower than in the run that it was compared with, beyond noise."""

    code = "slower"
    exit_code = 72
    spoken = "Something has become slower."
