from __future__ import annotations

import socket
import urllib.request

import pytest


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
