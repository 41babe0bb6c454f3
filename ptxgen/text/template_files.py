"""Where templates are looked up, and which files a template may include."""

from __future__ import annotations

from pathlib import Path

from driver_ctypes.typing import NamedTuple
from ptxgen.text.files import TEMPLATES

__all__ = ["LIBRARY", "OutsideFolders", "TemplateFiles", "find_template"]

LIBRARY = Path(TEMPLATES)
"""The templates that come with ptxgen; the last place where a name is looked up."""


class OutsideFolders(Exception):
    """A template includes a file that lies outside the folders it may include from."""


class TemplateFiles(NamedTuple):
    """The files that templates may include: those of `folders`, next to the including template, and of the library.

    Without `trust` a name stays in the folder where it is looked up: it is relative, has no `..`, and no symbolic link
    leads out of that folder.
    """

    folders: tuple[str, ...] = ()
    trust: bool = False

    def find(self, name: str, parent: str) -> Path | None:
        """The file that `parent` includes by that name; None when there is none.

        Raises OutsideFolders.
        """
        beside = () if parent.startswith("<") and not self.trust else (str(Path(parent).parent),)
        folders = (*beside, *self.folders)
        if not self.trust and (Path(name).is_absolute() or ".." in Path(name).parts):
            raise OutsideFolders(f"{name!r} is not a relative path without '..'")
        found = find_template(name, folders)
        if found is None or self.trust:
            return found
        real = found.resolve()
        if not any(real.is_relative_to(Path(folder).resolve()) for folder in (*folders, LIBRARY)):
            raise OutsideFolders(f"{name!r} is a link to {real}, outside the folders of templates")
        return found


def find_template(name: str, folders: tuple[str, ...]) -> Path | None:
    """The file of that name in the first of the folders, and last in the library, that has it."""
    path = Path(name)
    # Joining an absolute path to a folder gives that path.
    places = (folder / path for folder in (*map(Path, folders), LIBRARY))
    return next((place for place in places if place.is_file()), None)
