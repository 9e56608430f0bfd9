"""``python -m models.catalog seal``."""

from __future__ import annotations

import sys

from models.catalog.seal import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
