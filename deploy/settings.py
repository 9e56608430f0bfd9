"""What can be configured: every key with its unit, range and meaning.

Owns the shape only; what a package has settings of is defined there (``memory.settings``, ``voice.settings``) and nested here. The
values stand in ``deploy/default.toml`` (there are no defaults here but None for what may be left out; a test compares them with the
packages' own), and ``deploy.config`` reads them from their sources.
"""

from __future__ import annotations

import re
from os.path import expanduser
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from memory.settings import BackupSettings, RecallSettings, TierSettings
from memory.vault.keys import KEY_SOURCES
from vehicle.adapters import ADAPTERS
from voice.asr import RECOGNIZERS
from voice.settings import CoordinatorSettings, EndpointSettings, SpeechThresholds
from voice.tts import SYNTHESIZERS
from voice.wake import WAKE_WORDS

Share = Annotated[float, Field(ge=0.0, le=1.0)]
Seconds = Annotated[float, Field(gt=0.0, le=600.0)]
Word = Annotated[str, Field(min_length=1, max_length=200)]
Folder = Annotated[Path, AfterValidator(lambda path: Path(expanduser(path)))]
ModelName = Annotated[str, Field(min_length=1)]
"""A model's id in the catalogue, or the path of its file or folder (with a slash in it)."""


def _number(value: Any) -> Any:
    """Digits from the environment or a flag as the number that they are."""
    return int(value) if isinstance(value, str) and value.isdecimal() else value


Device = Annotated[int | Word | None, BeforeValidator(_number)]


class Section(BaseModel):
    """Base of the sections: frozen, and a key that is not there is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


def _plain(value: Any) -> Any:
    """A driver's name in small letters: a vault is the same however its driver's name is written."""
    return value.lower() if isinstance(value, str) and re.fullmatch(r"[\w-]+", value) else value


def _listed(value: Any) -> Any:
    """Names with commas between them, from the environment or a flag, as the list that they are."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


ModelNames = Annotated[tuple[ModelName, ...], BeforeValidator(_listed)]
"""Models in order of preference: the first that is there and can be used is used (``deploy.engines``)."""
DriverName = Annotated[str, BeforeValidator(_plain), Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$")]


class SightSettings(Section):
    """How the car says which key it sees (``deploy.drivers.sight``)."""

    source: Literal["none", "file", "mqtt"]
    """``file``: a file that another program of the car writes; ``mqtt``: a topic of a broker, with the extra ``mqtt``."""
    file: Folder | None = None
    """The key's id on its first line, or nothing; nobody but root or this user may be able to write it."""
    host: Word
    port: Annotated[int, Field(ge=1, le=65_535)]
    topic: Word
    """Its retained message is the key's id, or empty."""
    username: Word | None = None
    password_file: Folder | None = None
    """File with the password on its first line."""
    ca_file: Folder | None = None
    """Certificate of the authority that signed the broker's; left out: no encryption."""
    client_id: Word
    """Name of this client; one of its own for each."""


class AnnounceSettings(Section):
    """Where the assistant tells what it does (``deploy.showing.house``)."""

    to: Literal["none", "homeassistant"]
    """``homeassistant``: as a device with entities, over the car's own MQTT broker; needs the extra ``mqtt``."""
    host: Word
    port: Annotated[int, Field(ge=1, le=65_535)]
    username: Word | None = None
    password_file: Folder | None = None
    """File with the password on its first line."""
    ca_file: Folder | None = None
    """Certificate of the authority that signed the broker's; left out: no encryption."""
    client_id: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,40}$")]
    """Name of this assistant there; its topics are under ``glovebox/<client_id>/``."""
    discovery_prefix: Word
    names: bool
    """Whether it tells who drives; never of a guest, and not on a private trip."""
    requests: bool
    """Whether it tells the words of the last request; not on a private trip."""


class DriverSettings(Section):
    """Who drives."""

    name: DriverName
    """The driver whose vault is opened: a letter or digit, then at most 31 of those, ``_`` and ``-``."""
    others: Annotated[tuple[DriverName, ...], BeforeValidator(_listed)]
    """Who else may say "I am NAME" and is then remembered in a vault of their own."""
    keys: dict[Word, DriverName] = {}
    """Id of a key that the car sees (phone, fob, ignition profile) -> whose it is."""
    sight: SightSettings


class ScreenSettings(Section):
    """The driver's screen."""

    map: Folder | None = None
    """A map of this device: an MBTiles file of pictures (docs/screen.md); None: no map is shown."""


class DataSettings(Section):
    """Where things lie on this device."""

    folder: Folder
    """Vaults and what else is personal."""
    models: Folder
    """Weights that were fetched or imported; nothing personal, one folder for all that this user runs. Keep it out of
    ``folder``: whoever forgets has every byte there searched, and a model's vocabulary holds most words in clear."""
    catalog: Folder
    """A catalogue of your own, which may add models; need not be there."""
    key_file: Folder
    """With ``memory.key.source = "file"``: where keys lie, one file a driver, made with the vault: this one if it has the
    driver's name (``ada.key``, or ``{driver}.key``), else one beside it with the name in it (``vault-ada.key`` for
    ``vault.key``)."""

    @property
    def computed(self) -> Path:
        """Where what takes long to compute is kept for the next start: with the models, since nothing personal is in it."""
        return self.models / "computed"

    @property
    def mixed(self) -> str:
        """A line for a person where the models lie among what is personal; empty where they do not."""
        if not self.models.absolute().is_relative_to(self.folder.absolute()):
            return ""
        return (
            f"data.models ({self.models}) lies in the personal folder: whatever is forgotten is looked for in every model, "
            "which takes long and finds words that a model holds; put it elsewhere"
        )


def _address(value: str) -> str:
    """``host:port`` as it is."""
    host, _, port = value.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65_536:
        raise ValueError("an address is host:port, such as 10.0.0.5:10300")
    return value


Address = Annotated[Word, AfterValidator(_address)]


def _reachable(engine: str, remote: str | None) -> None:
    if engine == "wyoming" and remote is None:
        raise ValueError("engine wyoming needs remote: the host:port of the computer that does it")


class AudioSettings(Section):
    """Microphone and loudspeaker."""

    input_device: Device = None
    """Number or part of the name, as ``glovebox doctor`` lists them; left out: the system's default."""
    output_device: Device = None
    satellite: Address | None = None
    """A Wyoming satellite whose microphone and loudspeaker are used in place of this machine's: ``host:port``."""
    echo: Literal["none", "builtin", "system"]
    """Who takes the assistant's own voice out of the microphone's sound, so that it can listen while it speaks: the package
    pywebrtc-audio (``builtin``; nobody, where it is not installed), or a sound server that is set up for it (``system``)."""


class WakeSettings(Section):
    """The wake word."""

    engine: Annotated[str, AfterValidator(WAKE_WORDS.known)]
    """What listens for it (``voice.wake.WAKE_WORDS``), ours or one that another package adds."""
    keyword: Word
    """The word that the model was trained on."""
    model: ModelName
    threshold: Share | None = None
    """Score from which on it is the keyword, or, where Whisper must hear it, too, that is asked; left out: as measured."""
    refractory_s: Annotated[float, Field(ge=0.0, le=10.0)]
    """Seconds after a detection in which there is no other."""
    remote: Address | None = None
    """Where the engine ``wyoming`` finds it: ``host:port`` of another computer of the vehicle."""

    @model_validator(mode="after")
    def _has_address(self) -> Self:
        _reachable(self.engine, self.remote)
        return self


class VadSettings(SpeechThresholds):
    """Speech or not, frame by frame."""

    model: ModelName


class TurnSettings(Section):
    """Hard limits of a turn's states, and how it sounds."""

    listening_s: Seconds
    capturing_s: Seconds
    thinking_s: Seconds
    speaking_s: Seconds
    follow_up_s: Seconds
    """How long the driver may go on without the wake word after a reply."""
    conversation_s: Seconds
    """From the wake word until the driver may no longer go on without it, whatever was said meanwhile."""
    preroll_s: Annotated[float, Field(ge=0.0, le=2.0)]
    """Sound before the detected start of speech that the recogniser still gets."""
    chime: bool
    """A short sound when the wake word was heard and nobody goes on speaking."""
    chime_after_s: Annotated[float, Field(ge=0.0, le=2.0)]


class AsrSettings(Section):
    """The recogniser."""

    engine: Annotated[str, AfterValidator(RECOGNIZERS.known)]
    """Which recogniser is wanted: pocketsphinx, whisper, together, wyoming, or one that another package adds; ``together`` is
    PocketSphinx's grammar beside Whisper. Where its package or its models cannot be had, pocketsphinx is used and a line
    says so."""
    model: ModelNames
    """Whisper's models in order of preference; unused by pocketsphinx, whose acoustic model comes with its package."""
    threads: Annotated[int, Field(ge=1, le=64)]
    remote: Address | None = None
    """Where the engine ``wyoming`` finds it: ``host:port`` of another computer of the vehicle."""

    @model_validator(mode="after")
    def _has_model(self) -> Self:
        _reachable(self.engine, self.remote)
        if RECOGNIZERS.takes_model(self.engine) and not self.model:
            raise ValueError(f"engine {self.engine} needs a model; name one that `glovebox models list` has")
        return self


GpuLayers = Annotated[int, Field(ge=-1, le=1_000)]


class TalkerSettings(Section):
    """What answers small talk."""

    model: ModelNames
    """GGUF models in order of preference; none, or none that is there: sentences of ours."""
    adapter: ModelName
    """The LoRA that was trained for them."""
    threads: Annotated[int, Field(ge=1, le=64)]
    gpu_layers: GpuLayers
    """How many of the model's layers a GPU works on; -1: all. Wants an engine that was built for it: docs/install-jetson.md."""


class EncoderSettings(Section):
    """Sentence vectors and the scores of both schemas' leaves."""

    model: ModelName
    threads: Annotated[int, Field(ge=1, le=64)]


class TtsSettings(Section):
    """The voice."""

    engine: Annotated[str, AfterValidator(SYNTHESIZERS.known)]
    """Which synthesiser is wanted: espeak, piper, or one that another package adds. Where its package or its voices
    cannot be had, espeak is used and a line says so."""
    voice: Word
    """espeak-ng's voice, e.g. ``en-us+f2``; unused by piper."""
    speed_wpm: Annotated[int, Field(ge=80, le=450)]
    """Words a minute (espeak-ng's range)."""
    pitch: Annotated[int, Field(ge=0, le=99)]
    model: ModelNames
    """Piper's voices in order of preference; unused by espeak."""
    remote: Address | None = None
    """Where the engine ``wyoming`` finds it: ``host:port`` of another computer of the vehicle."""

    @model_validator(mode="after")
    def _has_model(self) -> Self:
        _reachable(self.engine, self.remote)
        if SYNTHESIZERS.takes_model(self.engine) and not self.model:
            raise ValueError(f"engine {self.engine} needs a model; name one that `glovebox models list` has")
        return self


class KuksaSettings(Section):
    """A vehicle behind a KUKSA databroker; see docs/vehicle.md."""

    address: Word
    """``host:port``, or ``unix:`` and the path of a socket."""
    token_file: Folder | None = None
    """A JSON web token with the scopes that docs/vehicle.md lists; left out: none is sent."""
    ca_file: Folder | None = None
    """Certificate of the authority that signed the broker's; left out: no encryption."""
    tls_name: Word | None = None
    """Name in the broker's certificate where it differs from the address."""
    mapping: Word
    """Signals to paths: the name of a mapping that comes with Glovebox, or a file of your own."""
    deadline_s: Seconds
    """How long the broker may take to answer a command; what is not answered by then is taken back."""
    start_s: Seconds
    """How long to wait for the first connection."""
    allow_v1: bool
    """Use a broker that only speaks kuksa.val.v1. It keeps a target and may carry it out later: docs/vehicle.md."""


class CanSettings(Section):
    """A vehicle on a CAN bus; see docs/vehicle.md."""

    interface: Word
    """python-can's name of the kind of bus: ``socketcan`` in a car, ``virtual`` in tests."""
    channel: Word
    """The bus, such as ``can0``."""
    dbc: Word
    """The DBC file; a name without slash or dot is one that comes with Glovebox."""
    mapping: Word
    """Signals to messages: the name of a mapping that comes with Glovebox, or a file of your own."""
    transmit: bool
    """Whether anything may be sent. false: the adapter listens and refuses to write."""
    bitrate: Annotated[int, Field(ge=10_000, le=1_000_000)] | None = None
    """Bits a second, where the program sets the interface up itself (``slcan``, ``pcan``); left out: it is up already."""
    options: dict[str, bool | int | float | str] = {}
    """What else python-can's bus of that kind takes, by its name there."""


class MqttSettings(Section):
    """A vehicle behind an MQTT broker; see docs/vehicle.md."""

    host: Word
    port: Annotated[int, Field(ge=1, le=65_535)]
    username: Word | None = None
    password_file: Folder | None = None
    """File with the password on its first line."""
    ca_file: Folder | None = None
    """Certificate of the authority that signed the broker's; left out: no encryption."""
    client_id: Word
    """Name of this client, and of its topic of availability; one of its own for each."""
    discovery_prefix: Word
    """Where the vehicle's entities are announced, as in Home Assistant."""
    mapping: Word
    """Signals to entities: the name of a mapping that comes with Glovebox, or a file of your own."""
    deadline_s: Seconds
    """How long the broker may take to acknowledge a command."""
    start_s: Seconds
    """How long to wait for the first connection."""


class VehicleSettings(Section):
    """The vehicle behind the gate."""

    adapter: Annotated[str, AfterValidator(ADAPTERS.known)]
    """How the vehicle is reached: simulated, kuksa, can, mqtt, or an adapter that another package adds; kuksa, can and mqtt
    need the extra of that name."""
    profile: Word
    """What the simulated vehicle does meanwhile: a speed profile's name."""
    confirmation_s: Seconds
    """How long an action waits for a spoken yes."""
    own_process: bool
    """Whether gate and adapter have a process of their own (docs/security.md), where the system is Linux. A simulated vehicle that
    lives by a recording's clock is always in the assistant's."""
    organizer: Folder | None = None
    """File of contacts, calendar and weather (docs/places.md); None: the assistant knows none."""
    outbox: Folder | None = None
    """Folder that e-mails are written to, for a mail program to send; None: no e-mail can be written."""
    added: dict[str, Any] = {}
    """What an adapter that another package adds is given, as its own documents say."""
    kuksa: KuksaSettings
    can: CanSettings
    mqtt: MqttSettings

    def options(self) -> dict[str, Any]:
        """What the chosen adapter takes."""
        if self.adapter == "simulated":
            return {"profile": self.profile}
        if self.adapter not in ADAPTERS.rows:
            return dict(self.added)
        section: Section = getattr(self, self.adapter)
        return section.model_dump()


class KeySettings(Section):
    """Where the key of a vault comes from: docs/security.md."""

    source: Annotated[str, AfterValidator(KEY_SOURCES.known)]
    """file, credential, keyring, passphrase, or one that another package adds. ``file`` is for development: whoever
    reads the file reads the vault. ``keyring`` needs the extra of that name."""
    credential: Folder
    """The secret that systemd hands to the service; it wraps every vault's own key."""
    sealed: Folder | None = None
    """The same, still sealed: unsealed by ``systemd-creds`` where systemd did not start us. Left out: it must have."""
    passphrase_file: Folder | None = None
    """A file whose first line is the passphrase, readable by its owner alone; left out: it is asked for at the terminal."""


class RememberingSettings(Section):
    """What memory does by itself."""

    key: KeySettings
    tiers: TierSettings
    recall: RecallSettings
    backups: BackupSettings

    learn: Literal["conversation", "trip"]
    """When extraction runs: at the end of every conversation or of the trip."""
    recall_at: Share
    """Score from which on a preference is recalled."""
    ask: bool
    """Whether the driver is asked about what is not sure enough to be stored; false: it is let go."""
    questions_per_trip: Annotated[int, Field(ge=0, le=10)]
    """How often the assistant asks by itself; 0: it keeps a list for `glovebox memory proposals` and asks nothing aloud."""
    ask_days: Annotated[int, Field(ge=1, le=365)]
    """Days that such a question stays open without an answer."""


_SWITCH = r"none|file:/.+|gpio:[a-z0-9]+/[0-9]+(:low)?"


class PowerSettings(Section):
    """When the device ends in order (``deploy.machine.power``)."""

    ignition: Annotated[str, Field(pattern=rf"^(vehicle|{_SWITCH})$")]
    """What says whether the ignition is on: ``none``; ``vehicle``, by its adapter; ``file:PATH``, which holds 1 or 0;
    ``gpio:CHIP/LINE``, with ``:low`` behind it where 0 is on."""
    low_voltage: Annotated[str, Field(pattern=rf"^({_SWITCH})$")]
    """What says that the voltage is low; as above, but for ``vehicle``."""
    off_after_s: Annotated[float, Field(ge=1.0, le=86_400.0)]
    """How long the ignition must have been off."""
    low_after_s: Annotated[float, Field(ge=0.0, le=60.0)]


class Config(Section):
    """The whole configuration."""

    profile: Literal["default", "small", "pi5", "jetson"]
    """Named set of values in deploy/profiles that lies between the defaults and the device's own file."""
    announce: AnnounceSettings
    driver: DriverSettings
    data: DataSettings
    screen: ScreenSettings
    audio: AudioSettings
    wake: WakeSettings
    vad: VadSettings
    endpoint: EndpointSettings
    turn: TurnSettings
    asr: AsrSettings
    dialogue: CoordinatorSettings
    talker: TalkerSettings
    encoder: EncoderSettings
    tts: TtsSettings
    vehicle: VehicleSettings
    memory: RememberingSettings
    power: PowerSettings
