"""The pytest option `--ptxgen-cuda`: tests of CUDA programs run on the CPU device."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

__all__ = ["pytest_addoption", "pytest_load_initial_conftests"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("ptxgen").addoption(
        "--ptxgen-cuda",
        action="store_true",
        help="what loads libcuda.so.1 gets ptxgen's, which runs kernels on the CPU",
    )


def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Before a conftest imports what looks for a driver."""
    if early_config.known_args_namespace.ptxgen_cuda:
        from ptxgen.shim.environment import use_here

        use_here()
