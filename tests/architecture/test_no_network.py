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
