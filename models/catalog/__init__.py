"""Every model by role: what it is, where it lies, whether it is whole, and how to get it.

A file a matter: ``entries`` the shape of ``models/catalog.toml``, ``shelf`` finding and verifying, ``store`` what is written on
disk, ``fetching`` the ways to a model's files with ``web`` and ``box`` for two of them, ``seal`` the digests of what is built in.
Only ``fetching`` uses a network, and only when somebody asks for a model.
"""

from models.catalog.entries import Model, ModelFile
from models.catalog.shelf import Catalog

__all__ = ["Catalog", "Model", "ModelFile"]
