"""Tells the build backend what a distribution requires: what its pyproject.toml lists for this hook.

ptxgen, the kernel library and driver_ctypes are distributions of their own, released together: each requires the others in its
own version. A clone has them all: what is built there (`pip install .`, `pip install git+...`, an editable install) holds every
package and asks no index for one that is beside it. tools/release.py builds each from a copy that has only its own.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Requirements(MetadataHookInterface):  # type: ignore[misc]
    """`beside` names the other distributions of this repository, each with a folder that is there when its code is."""

    def update(self, metadata: dict[str, Any]) -> None:
        beside = self.config["beside"]

        def resolved(requirements: list[str]) -> list[str]:
            absent = [
                each for each in requirements if each not in beside or not (Path(self.root) / beside[each]).is_dir()
            ]
            return [f"{each}=={metadata['version']}" if each in beside else each for each in absent]

        metadata["dependencies"] = resolved(self.config["dependencies"])
        if "optional-dependencies" in self.config:
            extras = self.config["optional-dependencies"]
            metadata["optional-dependencies"] = {name: resolved(requirements) for name, requirements in extras.items()}
