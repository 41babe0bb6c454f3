"""Which assembler is taken: whole programs first, what this machine's driver loads, what knows the program. With fake tools."""

from __future__ import annotations

import struct
import sys
from typing import TYPE_CHECKING

import pytest

from ptxgen.assembler import AssembleError, assemble, assemblers, assembly, driver, tools
from ptxgen.assembler.choice import is_loaded_by, takes_version
from ptxgen.assembler.tools import Assembler, in_order

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TEXT = ".version 8.0\n.target sm_90a\n.entry k() { ret; }\n"

PTXAS = """#!{python}
import sys
if "--version" in sys.argv:
    print("Cuda compilation tools, release {version}, V{version}.1")
elif "--help" in sys.argv:
    print("'sm_80','sm_90','sm_90a'")
else:
    sys.stderr.write({log!r})
    open("/dev/stdout", "wb").write({cubin!r})
"""


@pytest.fixture
def fake(tmp_path: Path) -> Callable[..., str]:
    """Makes a ptxas of a version, which writes that cubin and that log; its path."""

    def make(version: str, cubin: bytes = b"", log: str = "") -> str:
        path = tmp_path / version / "bin" / "ptxas"
        path.parent.mkdir(parents=True)
        made = cubin or f"cubin of {version}".encode()
        path.write_text(PTXAS.format(python=sys.executable, version=version, log=log, cubin=made))
        path.chmod(0o755)
        return str(path)

    return make


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Lets these be the tools of this machine, in the order in which they are found, and this its driver."""

    def set_up(found: list[tuple[str, str]], version: tuple[int, int] | None) -> None:
        for module in (tools, assembly):
            monkeypatch.setattr(module, "candidates", lambda: tuple(found))
            monkeypatch.setattr(module, "driver_version", lambda: version)

    return set_up


@pytest.mark.parametrize(
    "driver_is, versions, taken",
    [
        (None, ["13.5", "13.0"], "13.5"),  # no driver: the first that is found
        ((13, 0), ["13.5", "13.0"], "13.0"),  # no newer than the driver
        ((13, 5), ["13.5", "13.0"], "13.5"),
        ((13, 0), ["13.5"], "13.5"),  # a driver loads cubins of its major version, whatever the minor
        ((13, 0), ["14.0", "13.5"], "13.5"),  # and none of a newer major
        ((13, 0), ["14.0", "12.9"], "12.9"),  # but of an older
    ],
)
def test_no_newer_than_the_driver(
    fake: Callable[..., str],
    here: Callable[..., None],
    driver_is: tuple[int, int] | None,
    versions: list[str],
    taken: str,
) -> None:
    here([("ptxas", fake(version)) for version in versions], driver_is)
    assert assemble(TEXT).version == assemblers()[0].version == taken
    assert assemble(TEXT).messages == ()
    assert assemble(TEXT, tool="ptxas").cubin == f"cubin of {taken}".encode()


def test_only_tools_that_are_too_new(fake: Callable[..., str], here: Callable[..., None]) -> None:
    here([("ptxas", fake("14.0"))], (13, 0))
    (said,) = assemble(TEXT).messages
    assert (said.severity, said.hint) == ("warning", "a ptxas of CUDA 13, or a newer driver")
    assert said.message == "this machine's driver is of CUDA 13.0 and does not load cubins of ptxas 14.0"


def test_whole_programs_come_first() -> None:
    found = [Assembler("nvjitlink", "a", version="13.0"), Assembler("ptxas", "b", version="13.5")]
    assert [tool.name for tool in in_order(found, (13, 0))] == ["ptxas", "nvjitlink"]
    found.append(Assembler("ptxas", "c", version="14.1"))
    assert [tool.path for tool in in_order(found, (13, 0))] == ["b", "a", "c"]
    assert not is_loaded_by((14, 1), (13, 0))
    assert is_loaded_by((14, 1), None)


@pytest.mark.parametrize(
    "tool, newest",
    [((11, 8), (7, 8)), ((12, 5), (8, 5)), ((12, 6), (8, 5)), ((12, 9), (8, 8)), ((13,), (9, 0)), ((13, 5), (9, 5))],
)
def test_the_newest_ptx_version_of_a_tool(tool: tuple[int, ...], newest: tuple[int, int]) -> None:
    assert takes_version(tool, newest)
    assert not takes_version(tool, (newest[0], newest[1] + 1))
    assert takes_version((), (99, 0)), "a tool without a version is asked"


def test_a_tool_that_does_not_know_the_ptx_version_is_passed_over(
    fake: Callable[..., str], here: Callable[..., None]
) -> None:
    here([("ptxas", fake("12.8")), ("ptxas", fake("13.2"))], None)
    assert assemble(TEXT).version == "12.8"
    assert assemble(TEXT.replace("8.0", "9.1")).version == "13.2"
    assert assemble(TEXT.replace("8.0", "9.9")).version == "12.8", "none knows it: the first is asked, and says so"


def test_a_wheel_comes_before_the_machine_s_own(
    fake: Callable[..., str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    wheel = tmp_path / "site" / "nvidia" / "cu13" / "bin"
    wheel.mkdir(parents=True)
    (wheel / "ptxas").symlink_to(fake("13.3"))
    monkeypatch.setenv("PATH", str(tmp_path / "13.4" / "bin"))
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "13.2"))
    others = [fake("13.2"), fake("13.4")]
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site")])
    found = [path for name, path in tools.candidates() if name == "ptxas"]
    assert found[0] == str(wheel / "ptxas")
    assert [path for path in found if path in others] == others
    monkeypatch.setenv("PTXGEN_PTXAS", named := fake("13.1"))
    assert next(path for _name, path in tools.candidates()) == named


# --- what it makes ----------------------------------------------------------------------------------------------------

DYNAMIC = TEXT.replace(".entry", ".extern .shared .align 1024 .b8 dyn[];\n.entry").replace(
    "ret;", "mov.u32 %r1, dyn; ret;"
)


def cubin(shared: int) -> bytes:
    """A cubin for sm_90a whose kernel k has so many bytes of static shared memory, the system's among them."""
    names = b"\0.nv.shared.k\0"
    header = b"\x7fELF\x02\x01\x01\x41\x07" + bytes(7) + struct.pack("<HHI16xQI", 2, 190, 1, 64 + len(names), 90)
    header += struct.pack("<HHHHHH", 64, 0, 0, 64, 2, 1)
    row = struct.Struct("<II16xQQI12x8x")
    return header + names + row.pack(1, 8, 64, shared, 0) + row.pack(0, 3, 64, len(names), 0)


def test_a_cubin_with_its_dynamic_shared_memory_off_its_alignment_is_refused(fake: Callable[..., str]) -> None:
    """What nvJitLink 13.0 makes of a Hopper GEMM."""
    moved, right = fake("13.0", cubin(0x440)), fake("13.1", cubin(0x800))
    assert assemble(DYNAMIC, tool=right).cubin == cubin(0x800)
    with pytest.raises(
        AssembleError, match=r"dynamic shared memory of k \(gemm.ptx\) 64 bytes .* declares .align 1024"
    ) as caught:
        assemble(DYNAMIC, tool=moved, name="gemm.ptx")
    assert "nvidia-nvjitlink 13.1" in str(caught.value)
    assert assemble(TEXT, tool=moved).cubin == cubin(0x440)


LOSS = "ptxas info    : (C7504) Potential Performance Loss: 'setmaxnreg' ignored to maintain compatibility\n"


def test_what_a_tool_gives_up_is_a_warning(fake: Callable[..., str]) -> None:
    path = fake("13.0", log=LOSS)
    for options, hint in (((), None), (("-c",), "as a whole")):
        (said,) = assemble(TEXT, tool=path, options=options).messages
        assert (said.code, said.severity) == ("PTX630", "warning")
        assert said.hint is None if hint is None else hint in (said.hint or "")


# --- the driver -------------------------------------------------------------------------------------------------------


def test_the_driver_is_asked_in_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTXGEN_LIBCUDA", "/nowhere/libcuda.so.1")
    assert driver.ask() is None
    monkeypatch.setattr(driver, "_ASK", "import sys; assert sys.argv[1:] == ['/nowhere/libcuda.so.1']; print(13020)")
    assert driver.ask() == (13, 2)
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert driver.ask() is None


def test_without_a_gpu_nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PTXGEN_LIBCUDA", raising=False)
    monkeypatch.setattr(driver, "_SIGNS", ("/nowhere",))
    monkeypatch.setattr(driver, "ask", lambda: pytest.fail("asked"))
    assert driver.driver_version.__wrapped__() is None
    monkeypatch.setattr(driver, "_SIGNS", ("/",))
    monkeypatch.setattr(driver, "ask", lambda: (12, 4))
    assert driver.driver_version.__wrapped__() == (12, 4)
