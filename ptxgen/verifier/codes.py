"""The diagnostic codes of the version, target and address size of a module: see `ptxgen.codes`. The comments above the rows are written by tools/index_codes.py."""

from __future__ import annotations

from ptxgen.codes.code import Code

__all__ = ["CODES"]

CODES = (
    # ptxgen/builder/core/module_builder.py: _version
    # run.py: _check_header
    Code(
        "PTX401",
        "unknown PTX version",
        "the .version is newer than any that ptxgen knows, or lies between two of them",
        'version="auto" picks the lowest that is enough',
        module=".version 8.99\n.target sm_90a\n.address_size 64\n",
    ),
    # run.py: _check_header
    Code(
        "PTX403",
        "target newer than the PTX version",
        "the target came with a later PTX version than the module's",
        'version="auto", or the version that the finding names',
        header="7.0 sm_90",
        ptx="ret;",
    ),
    # run.py: _check_header
    Code(
        "PTX404",
        "address size not supported",
        ".address_size 32 from sm_90 on, where addresses have 64 bits",
        ".address_size 64",
        module=".version 8.0\n.target sm_90a\n.address_size 32\n",
    ),
)
