"""Wrapping by a secret of the device that systemd hands to the service: from the TPM, or from the machine's own key.

`systemd-creds encrypt --with-key=tpm2` seals 32 random bytes to this machine's TPM, and `LoadCredentialEncrypted=` in the unit
gives them to the service in clear, in a folder in memory that only it can read (systemd.exec(5), "Credentials"). That secret
wraps each vault's own key: it is the same for all drivers and never changes, and destroying a driver's wrapped key destroys
that driver's vault alone. docs/security.md has the commands.
"""

from __future__ import annotations

import secrets
import shutil
import subprocess
from pathlib import Path
from typing import Any

from memory.vault.keys import KEY_BYTES, Lock
from memory.vault.keys.wrapped import WrappedKey
from schemas.errors import KeySourceError

NAME = "glovebox.key"
"""What the credential is called in the unit, and bound to when it is sealed."""

LONGEST_S = 30.0
"""Seconds for systemd-creds: a TPM takes one or two."""

SALT_BYTES = 32


class Credential:
    """Derives the wrapping key from a credential."""

    name = "credential"
    what = "the credential"

    def __init__(self, path: Path | None, *, sealed: Path | None = None, program: str = "systemd-creds") -> None:
        """A wrapper by a credential.

        Args:
            path: the credential in clear, in the folder that systemd made for this service; None outside a service.
            sealed: the sealed credential, unsealed by systemd-creds itself where there is none in clear. For a call from a
                shell; it needs the rights to use the TPM or the machine's key, in general root's.
            program: systemd-creds.
        """
        self._path, self._sealed, self._program = path, sealed, program

    def parameters(self) -> dict[str, Any]:
        """See `Wrapper`."""
        return {"kdf": "hkdf-sha256", "salt": secrets.token_hex(SALT_BYTES)}

    def derive(self, parameters: dict[str, Any], *, new: bool) -> bytes:
        """See `Wrapper`: HKDF (RFC 5869) of the credential, with the salt of this wrapping."""
        del new
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF

        try:
            salt = bytes.fromhex(parameters["salt"])
        except (KeyError, TypeError, ValueError):
            raise KeySourceError("the wrapped key does not say how it was made: put it back from a backup") from None
        return HKDF(SHA256(), KEY_BYTES, salt, b"glovebox vault key").derive(self._secret())

    def _secret(self) -> bytes:
        if self._path is not None:
            try:
                secret = self._path.read_bytes()
            except FileNotFoundError:
                secret = None
            except OSError as error:
                raise KeySourceError(
                    f"the credential {self._path} cannot be read ({error.strerror}): start the service with systemd"
                ) from error
        else:
            secret = None
        if secret is None and self._sealed is not None:
            secret = self._unsealed(self._sealed)
        if secret is None:
            raise KeySourceError(
                f"systemd gave no credential {NAME}: start the service with LoadCredentialEncrypted={NAME}:FILE in its "
                "unit, or name the sealed file in memory.key.sealed; the vault is as it was"
            )
        if len(secret) < KEY_BYTES:
            raise KeySourceError(
                f"the credential {NAME} has {len(secret)} bytes and needs {KEY_BYTES}: seal 32 random bytes"
            )
        return secret

    def _unsealed(self, sealed: Path) -> bytes:
        program = shutil.which(self._program)
        if program is None:
            raise KeySourceError(f"{self._program} is not installed: the sealed credential {sealed} cannot be opened")
        try:
            done = subprocess.run(
                [program, f"--name={NAME}", "decrypt", str(sealed), "-"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=LONGEST_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise KeySourceError(f"{self._program} did not open {sealed} ({type(error).__name__})") from error
        if done.returncode != 0:
            told = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise KeySourceError(
                f"{self._program} did not open {sealed} ({told[-1][:200] if told else f'exit code {done.returncode}'}): "
                "is this the machine and the TPM that sealed it, and are you allowed to use them?"
            )
        return done.stdout


def opened(lock: Lock) -> WrappedKey:
    """See ``memory.vault.keys.KEY_SOURCES``."""
    return WrappedKey(lock.wrapped, Credential(lock.credential, sealed=lock.sealed))
