"""Tells the build backend what ptxgen requires: what pyproject.toml lists for this hook, and driver_ctypes.

`driver_ctypes` is a distribution of its own, and a released ptxgen depends on it. A clone has it beside ptxgen: what is built
there (`pip install .`, `pip install git+...`, an editable install) holds both packages and asks no index for the other.
tools/release.py builds from a copy without that folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Requirements(MetadataHookInterface):  # type: ignore[misc]
    def update(self, metadata: dict[str, Any]) -> None:
        beside = (Path(self.root) / "driver_ctypes" / "pyproject.toml").is_file()
        own = [] if beside else [f"driver_ctypes=={metadata['version']}"]
        metadata["dependencies"] = [*self.config["dependencies"], *own]
