"""CAN as it is found in the world: DBC files that are broken, multiplexed messages, the checksums of makers, buses that fail.

Public DBC files are looked for in the package opendbc (MIT), or in the folder that GLOVEBOX_DBC names; none is kept here.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("can", reason="the extra [can] is not installed")

import can

from schemas import registry
from schemas.clock import StreamClock
from schemas.errors import ConfigError
from vehicle.adapters.can import CanVehicle
from vehicle.adapters.can.checksums import CHECKSUMS, Frame, crc8, hyundai_canfd
from vehicle.adapters.can.dbc import load_dbc, put
from vehicle.adapters.can.frames import Incoming, Outgoing
from vehicle.adapters.can.network import load_network

# Files ----------------------------------------------------------------------------------------------------------------

BROKEN = """VERSION ""
NS_ :
    CM_
    SG_MUL_VAL_
BU_: CAR
BO_ 291 DOORS: 8 CAR
 SG_ 2_DOOR : 7|1@0+ (1,0) [0|1] "" CAR
 SG_ SPEED : 8|16@1+ (.01,0) [0|655] "km/h" CAR
 SG_ TOO_LONG : 60|16@1+ (1,0) [0|1] "" CAR
BO_ 275972096 FAR: 8 CAR
 SG_ LAMP : 0|1@1+ (1,0) [0|1] "" CAR
BO_ 1275 2017_5: 8 CAR
 SG_ A : 0|8@1+ (1,0) [0|255] "" CAR
BO_ 3221225472 VECTOR__INDEPENDENT_SIG_MSG: 0 CAR
 SG_ B : 0|8@1+ (1,0) [0|255] "" CAR
BO_ this is nothing
CM_ "a comment without an end
 SG_ OF_NOTHING : 0|8@1+ (1,0) [0|255] "" CAR
CM_ 291 "and one about nothing";
VAL_ 999 NOTHING 1 "is there" ;
"""
"""Every fault that the public files have."""


def written(folder: Path, text: str, name: str = "car.dbc") -> Path:
    file = folder / name
    file.write_text(text, "cp1252")
    return file


def test_a_broken_file_is_read_and_what_was_mended_is_told(tmp_path: Path) -> None:
    database, mended = load_dbc(written(tmp_path, BROKEN))
    by_name = {message.name: message for message in database.messages}
    assert set(by_name) == {"DOORS", "FAR", "_2017_5"}
    assert by_name["FAR"].is_extended_frame and by_name["FAR"].frame_id == 275972096
    assert [one.name for one in by_name["DOORS"].signals if one.name != "TOO_LONG"] == ["_2_DOOR", "SPEED"]
    told = "\n".join(mended)
    for words in ("without comments", "2_DOOR is called _2_DOOR", "FAR has an extended id", "2017_5 is called _2017_5",
                  "VECTOR__INDEPENDENT_SIG_MSG, whose id", "left out: BO_ this is nothing"):  # fmt: skip
        assert words in told


def test_a_good_file_is_not_touched() -> None:
    database, mended = load_dbc(Path("vehicle/mappings/example.dbc"))
    assert len(database.messages) > 10 and mended == ()


@pytest.mark.parametrize("text", ["", "no dbc at all\n" * 100, "BO_ x\n" * 100])
def test_what_is_no_dbc_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError, match="is no usable DBC"):
        load_dbc(written(tmp_path, text))
    with pytest.raises(ConfigError, match="cannot be read"):
        load_dbc(tmp_path / "absent.dbc")


def mapping(folder: Path, signals: str, more: str = "", driving: str = "{}") -> Path:
    file = folder / "car.yaml"
    file.write_text(f"version: 1\nname: a car\ndriving: {driving}\nsignals:\n{signals}\n{more}", "utf-8")
    return file


def test_only_what_is_mapped_has_to_fit(tmp_path: Path) -> None:
    dbc = written(tmp_path, BROKEN)
    good = mapping(tmp_path, "  door.driver: {message: DOORS, signal: _2_DOOR, choices: {true: 1, false: 0}}")
    assert load_network(str(good), str(dbc)).mended
    bad = mapping(tmp_path, "  door.driver: {message: DOORS, signal: TOO_LONG, choices: {true: 1, false: 0}}")
    with pytest.raises(ConfigError, match=r"car\.yaml:5: .*TOO_LONG does not fit the 8 bytes of DOORS"):
        load_network(str(bad), str(dbc))


def test_a_frame_that_is_sent_may_not_contradict_itself(tmp_path: Path) -> None:
    dbc = written(tmp_path, BROKEN)
    door = "message: DOORS, signal: _2_DOOR"
    signal = f"  light.dome: {{{door}, choices: {{true: 1, false: 0}}, write: {{{door}}}}}"
    sends = (
        "transmit:\n  DOORS:\n    id: 291\n    cycle_ms: 20\n    repeats: 3\n    per_second: 9\n"
        "    signals: {_2_DOOR: {idle: 0, min: 1, max: 1}}"
    )
    with pytest.raises(ConfigError, match=r"the DBC contradicts itself: .*TOO_LONG"):
        load_network(str(mapping(tmp_path, signal, sends)), str(dbc))


# Multiplexed messages -------------------------------------------------------------------------------------------------

MUX = """VERSION ""
BU_: CAR
BO_ 300 STATE: 8 CAR
 SG_ PAGE M : 0|8@1+ (1,0) [0|255] "" CAR
 SG_ DOOR m1 : 8|1@1+ (1,0) [0|1] "" CAR
 SG_ BELT m2 : 8|1@1+ (1,0) [0|1] "" CAR
 SG_ RAIN : 16|8@1+ (1,0) [0|100] "" CAR
BO_ 301 ASK: 8 CAR
 SG_ PAGE M : 0|8@1+ (1,0) [0|255] "" CAR
 SG_ LAMP m1 : 8|2@1+ (1,0) [0|3] "" CAR
 SG_ SEAT m2 : 8|8@1+ (1,0) [0|255] "" CAR
"""
READS = """  door.driver: {message: STATE, signal: DOOR, choices: {true: 1, false: 0}}
  seat.driver.belted: {message: STATE, signal: BELT, choices: {true: 1, false: 0}}
  outside.rain: {message: STATE, signal: RAIN, unit: percent}"""


def heard(car: CanVehicle, bus: can.BusABC, *frames: bytes) -> dict[str, Any]:
    for data in frames:
        bus.send(can.Message(arbitration_id=300, is_extended_id=False, data=data))
    car.look()
    return asyncio.run(car.read()).values


def test_each_frame_of_a_multiplexed_message_tells_what_it_holds(tmp_path: Path) -> None:
    files: dict[str, Any] = {"dbc": str(written(tmp_path, MUX)), "mapping": str(mapping(tmp_path, READS))}
    channel = f"mux {tmp_path}"
    with can.Bus(interface="virtual", channel=channel) as bus:
        car = CanVehicle(StreamClock(), interface="virtual", channel=channel, threaded=False, **files)
        assert heard(car, bus, bytes([1, 1, 10, 0, 0, 0, 0, 0])) == {"door.driver": True, "outside.rain": 10}
        both = {"door.driver": True, "seat.driver.belted": False, "outside.rain": 20}
        assert heard(car, bus, bytes([2, 0, 20, 0, 0, 0, 0, 0])) == both
        assert heard(car, bus, bytes([9, 1, 99, 0, 0, 0, 0, 0])) == both, (
            "a page that the DBC does not know tells nothing"
        )
        asyncio.run(car.close())


def asks(fixed: str, signals: str) -> str:
    return (
        "transmit:\n  ASK:\n    id: 301\n    cycle_ms: 20\n    repeats: 1\n    per_second: 9\n"
        f"    fixed: {fixed}\n    signals: {signals}"
    )


LAMP = "  light.dome: {message: STATE, signal: DOOR, choices: {true: 1, false: 0}, write: {message: ASK, signal: LAMP}}"


def test_a_multiplexed_frame_is_sent_with_the_page_that_is_fixed(tmp_path: Path) -> None:
    dbc = str(written(tmp_path, MUX))
    lamp = "{LAMP: {idle: 3, min: 0, max: 1}}"
    network = load_network(str(mapping(tmp_path, LAMP, asks("{PAGE: 1}", lamp))), dbc)
    outgoing = Outgoing(*network.sent["ASK"])
    assert outgoing.ask({"LAMP": 1}, 0.0)[:2] == bytes([1, 1])
    assert outgoing.next(0.1)[:2] == bytes([1, 3]), "then it asks for nothing"
    with pytest.raises(ConfigError, match="PAGE chooses what the frame holds; give it a value under `fixed`"):
        load_network(str(mapping(tmp_path, LAMP, asks("{}", lamp))), dbc)
    with pytest.raises(ConfigError, match="LAMP is not in the frame where its multiplexer is"):
        load_network(str(mapping(tmp_path, LAMP, asks("{PAGE: 2}", lamp))), dbc)


# Checksums ------------------------------------------------------------------------------------------------------------

SAMPLE = bytes.fromhex("0102030405060700")


@pytest.mark.parametrize(
    ("kind", "frame", "wanted"),
    [  # worked out with the functions of opendbc 0.3.1 but for the first three
        ("crc8_j1850", Frame(0, b"123456789\0", 9, 0, ()), 0x4B),
        ("xor8", Frame(0, SAMPLE, 7, 0, ()), 0x00),
        ("sum8", Frame(0, SAMPLE, 7, 0, ()), 28),
        ("toyota", Frame(0x2E4, SAMPLE, 7, 0, ()), 10),
        ("toyota", Frame(0x1ABCDE, SAMPLE, 7, 0, ()), 216),
        ("honda", Frame(0x2E4, SAMPLE, 7, 0, ()), 8),
        ("honda", Frame(0x1ABCDE, SAMPLE, 7, 0, ()), 2),
        ("volkswagen_pq", Frame(0, SAMPLE, 7, 0, ()), 0x00),
        ("hyundai", Frame(0x260, SAMPLE, 7, 0, ()), 4),
        ("hyundai_6b", Frame(0x340, SAMPLE, 6, 0, ()), 21),
        ("hyundai_canfd", Frame(0x2E4, bytes(2) + SAMPLE[:6], 0, 0, ()), 0xCD2E),
    ],
)
def test_families_of_checksums(kind: str, frame: Frame, wanted: int) -> None:
    assert CHECKSUMS.opener(kind)(frame) == wanted


def test_hyundais_long_frames_end_with_a_constant_by_length() -> None:
    assert len({hyundai_canfd(Frame(0x1A0, bytes(length), 0, 0, ())) for length in (8, 16, 24, 32, 12)}) == 5


@pytest.mark.parametrize(
    "frame",
    [
        "6b00bd0000000000",
        "ee010a0000000000",
        "d802a90000000000",
        "0303bea212000000",
        "7b04312003000000",
        "af0a722000000000",
    ],
)
def test_volkswagens_frames_are_proved_by_their_counters_constant(frame: str) -> None:
    """Frames of a steering wheel's sensor (LWI_01, 0x86) out of opendbc's tests."""
    data = bytes.fromhex(frame)
    whole = Frame(0x86, b"\0" + data[1:], 0, data[1] & 0xF, (0x86,) * 16)
    assert CHECKSUMS.opener("volkswagen_mqb")(whole) == data[0]


def test_a_family_that_there_is_not_is_named(tmp_path: Path) -> None:
    more = "messages:\n  STATE: {checksum: {signal: RAIN, kind: toyta}}"
    with pytest.raises(ConfigError, match="no checksum is called 'toyta'; did you mean 'toyota'"):
        load_network(str(mapping(tmp_path, READS, more)), str(written(tmp_path, MUX)))
    assert crc8(b"123456789") == 0x4B


def test_a_family_of_another_package_is_found_when_the_mapping_is_read_and_not_looked_up_with_every_frame(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info, dbc = tmp_path / "theirs-1.0.dist-info", str(written(tmp_path, MUX))
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[glovebox.checksums]\ntheirs = vehicle.adapters.can.checksums:sum8\nlost = no_such_module:sum8\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    more = "messages:\n  STATE: {checksum: {signal: RAIN, kind: %s}}"
    with pytest.raises(ConfigError, match=r"the checksum 'lost' of theirs .* cannot be imported"):
        load_network(str(mapping(tmp_path, READS, more % "lost")), dbc)
    network = load_network(str(mapping(tmp_path, READS, more % "theirs")), dbc)
    monkeypatch.setattr(registry, "entry_points", None)  # from here on nobody looks through what is installed
    message = network.database.get_message_by_name("STATE")
    incoming = Incoming(message, network.received[message.frame_id])
    assert not incoming.accept(bytes([1] * message.length))


# The bus --------------------------------------------------------------------------------------------------------------


def test_what_drives_and_is_mapped_nowhere_is_told(tmp_path: Path) -> None:
    driving = "{speed_kmh: {message: STATE, signal: RAIN, unit: km/h}}"
    car = CanVehicle(
        StreamClock(), interface="virtual", channel=f"told {tmp_path}", threaded=False, dbc=str(written(tmp_path, MUX)),
        mapping=str(mapping(tmp_path, READS, driving=driving)),
    )  # fmt: skip
    found = {one.subject: one.text for one in car.check()}
    assert {"gear", "ignition_on"} <= set(found) and "speed_kmh" not in found
    assert "always counts as moving" in found["gear"]
    asyncio.run(car.close())


def test_bit_rate_and_options_go_to_the_interface(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    given: dict[str, Any] = {}
    real = can.Bus

    def opened(**kwargs: Any) -> can.BusABC:
        given.update(kwargs)
        if "nonsense" in kwargs:
            raise TypeError("unexpected keyword argument 'nonsense'")
        return real(interface="virtual", channel=kwargs["channel"])

    monkeypatch.setattr(can, "Bus", opened)
    files: dict[str, Any] = {"dbc": str(written(tmp_path, MUX)), "mapping": str(mapping(tmp_path, READS))}
    car = CanVehicle(
        StreamClock(), interface="slcan", channel="x", bitrate=250_000, options={"ttyBaudrate": 115_200}, threaded=False,
        **files,
    )  # fmt: skip
    assert (given["bitrate"], given["ttyBaudrate"], given["interface"]) == (250_000, 115_200, "slcan")
    asyncio.run(car.close())
    with pytest.raises(ConfigError, match="does not take these options"):
        CanVehicle(StreamClock(), interface="slcan", channel="x", options={"nonsense": 1}, threaded=False, **files)


def test_a_controller_that_is_off_the_bus_is_lost_and_opened_again(tmp_path: Path) -> None:
    from can.interfaces.virtual import VirtualBus

    off = False

    class Controller(VirtualBus):
        pass

    Controller.state = property(lambda _: can.BusState.ERROR if off else can.BusState.ACTIVE)  # type: ignore[assignment]
    clock, channel = StreamClock(), f"off {tmp_path}"
    files: dict[str, Any] = {"dbc": str(written(tmp_path, MUX)), "mapping": str(mapping(tmp_path, READS))}
    car = CanVehicle(clock, threaded=False, open_bus=lambda: Controller(channel=channel), **files)
    with can.Bus(interface="virtual", channel=channel) as bus:
        assert heard(car, bus, bytes([1, 1, 10, 0, 0, 0, 0, 0]))["door.driver"] is True
        off = True
        car.look()
        assert [one.verdict for one in car.check()] == ["fail"]
        off = False
        clock.advance_to(1.0)
        car.look()
        assert heard(car, bus, bytes([1, 0, 10, 0, 0, 0, 0, 0]))["door.driver"] is False
    asyncio.run(car.close())


# Files of the world ---------------------------------------------------------------------------------------------------


def public() -> list[Path]:
    folder = os.environ.get("GLOVEBOX_DBC")
    if folder is None:
        found = importlib.util.find_spec("opendbc")
        where = found.submodule_search_locations if found is not None else None
        folder = str(Path(next(iter(where))) / "dbc") if where else None
    return sorted(Path(folder).glob("*.dbc")) if folder else []


BODY = re.compile(r"door|belt|trunk|wiper|lamp|light|blink|turn|window|lock|seat|temp", re.IGNORECASE)


@pytest.mark.skipif(
    not public(), reason="no public DBC files: pip install opendbc, or name their folder in GLOVEBOX_DBC"
)
@pytest.mark.parametrize("file", public(), ids=lambda file: file.stem)
def test_public_files_load_and_a_mapping_reads_their_body(file: Path, tmp_path: Path) -> None:
    database, _ = load_dbc(file)
    assert database.messages
    body = [
        (message, signal)
        for message in database.messages
        for signal in message.signals
        if BODY.search(signal.name) and signal.length <= 8 and not signal.is_signed and signal.multiplexer_ids is None
        and signal.start + signal.length <= 8 * message.length and message.length <= 8
    ]  # fmt: skip
    if not body:
        return
    message, signal = body[0]
    off, on = (signal.raw_to_scaled(raw, decode_choices=False) for raw in (0, 1))
    where = f"message: {message.name}, signal: {signal.name}"
    entry = f"  door.driver: {{{where}, choices: {{true: {on}, false: {off}}}}}"
    channel = f"public {file.stem}"
    with can.Bus(interface="virtual", channel=channel) as bus:
        car = CanVehicle(
            StreamClock(), interface="virtual", channel=channel, threaded=False, dbc=str(file),
            mapping=str(mapping(tmp_path, entry)),
        )  # fmt: skip
        data = bytearray(message.length)
        put(signal, data, 1)
        bus.send(
            can.Message(arbitration_id=message.frame_id, is_extended_id=message.is_extended_frame, data=bytes(data))
        )
        car.look()
        assert asyncio.run(car.read()).values == {"door.driver": True}
        asyncio.run(car.close())
