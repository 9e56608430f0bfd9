"""Nothing uses a network: no test, and no package that an engine brings, by the kernel's word."""

from __future__ import annotations

import ast
import json
import os
import shutil
import signal
import socket
import urllib.request
from contextlib import closing
from pathlib import Path

import pytest

from deploy.lab.recogniser.pauses import spoken_by, voice_of
from models.training.voices import available
from schemas.errors import AudioError
from schemas.offline import SWITCHES
from tests import no_sockets
from tests.architecture.test_packages import MODULES, ROOT
from tests.conftest import WEIGHTS
from voice.audio.wavefile import write
from voice.tts.piper import WORKER, PiperSynthesizer

ENGINES = {"onnxruntime", "faster_whisper", "ctranslate2", "huggingface_hub", "piper", "llama_cpp"}
LOADS = (
    "from voice.vad.silero import SileroVad; SileroVad(Path('models/builtin/vad/silero.onnx'))",
    "from models.runtime.keyword import *; KeywordNetwork(Path('models/builtin/wake/computer.onnx'))",
    "from models.runtime.onnx_encoder import OnnxEncoder; OnnxEncoder(Path('models/builtin/encoder')).encode(['hello'])",
)


def test_a_connection_fails_the_test() -> None:
    with socket.socket() as stream, pytest.raises(AssertionError, match="network"):
        stream.connect(("127.0.0.1", 9))


def test_a_look_up_fails_the_test() -> None:
    with pytest.raises(AssertionError, match="network"):
        urllib.request.urlopen("http://localhost:9/")


def test_local_sockets_work() -> None:
    left, right = socket.socketpair()
    with left, right:
        left.sendall(b"x")
        assert right.recv(1) == b"x"


@pytest.mark.socket
def test_the_marker_opens_the_loopback_interface_and_nothing_else() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        pass
    with socket.socket() as stream, pytest.raises(AssertionError, match="network"):
        stream.connect(("192.0.2.1", 9))


kernel = pytest.mark.skipif(no_sockets.SOCKET is None, reason="the number of socket(2) is known for x86-64 and aarch64")


@kernel
def test_a_process_without_a_network_ends_where_it_wants_one() -> None:
    code = "import socket; socket.socketpair(); print('so far', flush=True); socket.socket(socket.{})"
    for family in ("AF_INET", "AF_INET6", "AF_NETLINK"):
        ended = no_sockets.run(["-c", code.format(family)])
        assert (ended.returncode, ended.stdout) == (-signal.SIGSYS, "so far\n"), ended.stderr


@kernel
@pytest.mark.parametrize("load", LOADS)
def test_an_engine_is_loaded_without_a_socket_and_leaves_nothing_in_the_home(load: str, own_home: Path) -> None:
    """ONNX Runtime 1.31 makes an identifier of the device at once and looks its makers up within seconds."""
    done = no_sockets.run(["-c", f"from pathlib import Path; {load}"], unset=list(SWITCHES))
    assert done.returncode == 0, done.stderr
    assert list(own_home.rglob("*")) == []


@kernel
def test_the_program_of_the_piper_voice_keeps_to_itself(
    own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("piper")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    for name in SWITCHES:
        monkeypatch.delenv(name)
    voice = shutil.copyfile(ROOT / "models/builtin/vad/silero.onnx", tmp_path / "voice.onnx")
    shape = {"num_symbols": 2, "num_speakers": 1, "phoneme_id_map": {"a": [1]}, "espeak": {"voice": "en"}}
    (tmp_path / "voice.onnx.json").write_text(json.dumps({**shape, "audio": {"sample_rate": 16000}}))
    command = no_sockets.command("-I", str(WORKER), str(voice), "1", "0")
    with closing(PiperSynthesizer(voice, command=command)) as piper, pytest.raises(AudioError, match="could not say"):
        piper.check()  # what was loaded is a network, and no voice
    assert list(own_home.rglob("*")) == []


@kernel
@pytest.mark.skipif(not available(), reason="espeak-ng is not installed: nobody there to speak")
@pytest.mark.parametrize("profile", ["default", "small"])
def test_the_assistant_hears_and_answers_without_a_network(profile: str, own_home: Path, tmp_path: Path) -> None:
    """With what is here of the fetched weights, which the first profile uses."""
    write(tmp_path / "said.wav", spoken_by(voice_of(-2), ("open the passenger window",), 0.0))
    glovebox = ["-c", "import sys; from deploy.cli import main; sys.exit(main(sys.argv[1:]))", "--profile", profile]
    glovebox += ["--home", str(tmp_path), "--set", f"data.models={WEIGHTS}"]
    done = no_sockets.run([*glovebox, "hear", str(tmp_path / "said.wav")], unset=list(SWITCHES))
    assert done.returncode == 0, done.stderr
    assert "passenger" in done.stdout
    assert not [path for path in own_home.rglob("*cache*") if path.is_dir()]


def test_whatever_loads_an_engine_has_told_it_to_stay_off_the_network() -> None:
    """Importing anything of ``schemas`` does so; the worker, which imports nothing of ours, is tested above."""
    assert {name: os.environ.get(name) for name in SWITCHES} == SWITCHES
    untold = [str(path.relative_to(ROOT)) for path in MODULES if path != WORKER and not told(path)]
    assert untold == []
    (line,) = [
        line for line in (ROOT / "deploy/setup/environment.sh").read_text("utf-8").splitlines() if "onnxruntime" in line
    ]
    assert "import schemas, " in line


def told(path: Path) -> bool:
    tree = ast.parse(path.read_text("utf-8"))
    first = {name for node in tree.body for name in imported(node)}
    return "schemas" in first or not any(name in ENGINES for node in ast.walk(tree) for name in imported(node))


def imported(node: ast.AST) -> list[str]:
    """The packages that a statement or a call imports."""
    match node:
        case ast.Import(names=names):
            return [alias.name.partition(".")[0] for alias in names]
        case ast.ImportFrom(module=str(module)):
            return [module.partition(".")[0]]
        case ast.Call(args=[ast.Constant(value=str(module)), *_]) if "import_module" in ast.unparse(node.func):
            return [module.partition(".")[0]]
        case _:
            return []
