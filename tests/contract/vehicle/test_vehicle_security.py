"""The encrypted ways to a vehicle, with an authority made for the test: who is not certified or has no password is refused."""

from __future__ import annotations

import asyncio
import hashlib
import subprocess
from base64 import b64encode
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest

pytest.importorskip("kuksa.val.v2", reason="the extra [kuksa] is not installed")
pytest.importorskip("paho.mqtt", reason="the extra [mqtt] is not installed")

import grpc
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from schemas.clock import StreamClock
from schemas.errors import AdapterError, ConfigError
from tests.vehicle_rigs import answers, free_port, mosquitto, until
from vehicle.adapters import report
from vehicle.adapters.far_car import FarCar
from vehicle.adapters.kuksa import KuksaVehicle
from vehicle.adapters.kuksa.stand_in_broker import Broker
from vehicle.adapters.kuksa.stand_in_car import KuksaCar
from vehicle.adapters.mqtt import MqttVehicle
from vehicle.adapters.mqtt.stand_in import MqttCar

pytestmark = pytest.mark.socket  # brokers of their own on the loopback interface

PASSWORD = "correct horse"


def authority(folder: Path, name: str = "ca", served: str | None = None) -> Path:
    """The certificate of a new authority; with ``served`` it also signs ``server.pem`` and ``server.key`` for that name."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    own = _certificate(subject, subject, key, key, x509.BasicConstraints(ca=True, path_length=0))
    path = folder / f"{name}.pem"
    path.write_bytes(own.public_bytes(serialization.Encoding.PEM))
    if served is not None:
        server = ec.generate_private_key(ec.SECP256R1())
        named = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, served)])
        who = x509.SubjectAlternativeName(
            [x509.DNSName(served), *([x509.IPAddress(ip_address("127.0.0.1"))] if served == "localhost" else [])]
        )
        leaf = _certificate(named, subject, server, key, x509.BasicConstraints(ca=False, path_length=None), who)
        (folder / "server.pem").write_bytes(leaf.public_bytes(serialization.Encoding.PEM))
        (folder / "server.key").write_bytes(
            server.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
    return path


def _certificate(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    signer: ec.EllipticCurvePrivateKey,
    *extensions: x509.ExtensionType,
) -> x509.Certificate:
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False)
    )
    for extension in extensions:
        made = made.add_extension(extension, critical=isinstance(extension, x509.BasicConstraints))
    return made.sign(signer, hashes.SHA256())


# KUKSA


def served(folder: Path, name: str) -> Broker:
    """A databroker's stand-in behind a certificate of that name."""
    authority(folder, served=name)
    pair = ((folder / "server.key").read_bytes(), (folder / "server.pem").read_bytes())
    return Broker(credentials=grpc.ssl_server_credentials([pair]))


@pytest.mark.parametrize(("name", "tls_name"), [("localhost", None), ("Server", "Server")])
def test_a_databroker_behind_tls_is_used(tmp_path: Path, name: str, tls_name: str | None) -> None:
    clock, broker = StreamClock(), served(tmp_path, name)
    provider = KuksaCar(FarCar(clock), broker.address, ca_file=tmp_path / "ca.pem", tls_name=tls_name)
    try:
        car = KuksaVehicle(clock, address=broker.address, ca_file=tmp_path / "ca.pem", tls_name=tls_name, start_s=5.0)
        asyncio.run(car.write({"light.dome": True}))
        assert broker.actuated == [{"Cabin.Light.IsDomeOn": True}]
        asyncio.run(car.close())
    finally:
        provider.close()
        broker.stop()


def test_a_databroker_of_another_authority_is_refused(tmp_path: Path) -> None:
    broker = served(tmp_path, "localhost")
    try:
        for wrong in (
            {"ca_file": authority(tmp_path, "other")},
            {},
            {"ca_file": tmp_path / "ca.pem", "tls_name": "no"},
        ):
            with pytest.raises(AdapterError, match="no databroker"):
                KuksaVehicle(StreamClock(), address=broker.address, start_s=0.6, **wrong)  # pyright: ignore[reportArgumentType]
    finally:
        broker.stop()


# MQTT


def hashed(password: str) -> str:
    """As mosquitto keeps a password: PBKDF2 with SHA-512."""
    salt, rounds = b"only a test.", 101
    digest = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, rounds)
    return f"$7${rounds}${b64encode(salt).decode()}${b64encode(digest).decode()}"


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    """A mosquitto with TLS and a password."""
    program = mosquitto()
    if program is None:
        pytest.skip("mosquitto is not installed (Debian package mosquitto)")
    authority(tmp_path, served="localhost")
    port = free_port()
    users, config = tmp_path / "users", tmp_path / "mosquitto.conf"
    users.write_text(f"glovebox:{hashed(PASSWORD)}\n")
    config.write_text(
        f"listener {port} 127.0.0.1\nallow_anonymous false\npersistence false\nuser root\npassword_file {users}\n"
        f"cafile {tmp_path / 'ca.pem'}\ncertfile {tmp_path / 'server.pem'}\nkeyfile {tmp_path / 'server.key'}\n"
    )
    process = subprocess.Popen([program, "-c", str(config)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until(lambda: answers(port), "mosquitto")
    yield port
    process.kill()
    process.wait()


def test_a_broker_with_tls_and_a_password_is_used(tmp_path: Path, port: int) -> None:
    clock, secret = StreamClock(), tmp_path / "password"
    secret.write_text(PASSWORD + "\n")
    gateway = MqttCar(
        FarCar(clock), port, host="localhost", username="glovebox", password=PASSWORD, ca_file=tmp_path / "ca.pem"
    )
    try:
        car = MqttVehicle(
            clock,
            host="localhost",
            port=port,
            username="glovebox",
            password_file=secret,
            ca_file=tmp_path / "ca.pem",
            start_s=5.0,
        )
        asyncio.run(car.write({"light.dome": True}))
        until(lambda: gateway.car.log == [{"light.dome": True}], "the command")
        assert not any("encryption" in finding.text for finding in report(car))
        asyncio.run(car.close())
    finally:
        gateway.close()


def test_a_broker_refuses_a_wrong_password_and_is_refused_without_its_certificate(tmp_path: Path, port: int) -> None:
    secret, right, other = tmp_path / "password", tmp_path / "ca.pem", authority(tmp_path, "other")
    secret.write_text("wrong\n")
    for ca_file, reason in (
        (right, "refuses the connection|ended the connection"),
        (other, "certificate verify failed"),
    ):
        with pytest.raises(AdapterError, match=reason) as caught:
            MqttVehicle(
                StreamClock(),
                host="localhost",
                port=port,
                username="glovebox",
                password_file=secret,
                ca_file=ca_file,
                start_s=1.0,
            )
        assert "wrong" not in str(caught.value)
    with pytest.raises(ConfigError, match="password"):
        MqttVehicle(StreamClock(), port=port, username="glovebox", password_file=tmp_path / "absent")
