"""The command line: ``glovebox``.

``main`` is the entry point. Every command that a program would read has ``--json``; every error of the tree in
``schemas.errors`` ends as one sentence on standard error (or as an object on standard output with ``--json``) and its own exit
code. What the commands are: docs/cli.md, which a test compares with the code.
"""

from __future__ import annotations

from deploy.cli.main import app, main

__all__ = ["app", "main"]
