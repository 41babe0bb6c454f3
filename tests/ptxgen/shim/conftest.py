from __future__ import annotations

import pytest

from ptxgen.shim.library import write_library


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A folder with the libraries and tools. Writing them takes seconds."""
    made = tmp_path_factory.mktemp("cuda")
    write_library(made)
    return made
