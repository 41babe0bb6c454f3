"""Caches in memory and on disk, where they are found, and what their keys depend on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import pytest

import ptxgen as px
from driver_ctypes.errors import CacheWarning
from ptxgen import f32
from ptxgen.runtime import Backend, DispatchConfig, input_, keys, output, program
from ptxgen.runtime.code import disk
from ptxgen.runtime.code.caches import CountedCache, ValidationCache
from ptxgen.runtime.errors import BackendError, InvalidProgramError, KernelCompileError
from ptxgen.runtime.programs.program import Built
from tests.ptxgen.runtime.samples import floats, scale


def test_past_the_limit_what_was_used_most_stays() -> None:
    closed: list[str] = []
    cache: CountedCache[str] = CountedCache(4, 3, closed=closed.append)
    for key in "abcd":
        cache.put(key, key.upper())
    for key in "aaabbc":
        cache.get(key)
    cache.put("e", "E")
    assert [key for key in "abcde" if key in cache] == ["a", "b", "e"]
    assert closed == ["D", "C"]
    found = cache.snapshot()
    assert (found.hits, found.misses, found.evictions, found.entries, found.access_total) == (6, 0, 2, 3, 5)


def test_what_was_never_asked_for_again_goes_at_once() -> None:
    cache: CountedCache[int] = CountedCache(4, 3)
    for n in range(5):
        cache.put(str(n), n)
    assert cache.values() == [4]


def test_of_two_that_were_used_as_often_the_one_used_last_stays() -> None:
    cache: CountedCache[int] = CountedCache(2, 2)
    cache.put("a", 1)
    cache.put("b", 2)
    cache.get("b")
    cache.get("a")
    cache.put("c", 3)
    assert cache.values() == [1, 3]


def test_bytes_are_bounded() -> None:
    cache: CountedCache[int] = CountedCache(100, 50, most_bytes=100)
    for n in range(3):
        cache.put(str(n), n, 40)
        cache.get(str(n))
    assert cache.snapshot().bytes <= 100
    assert cache.get("2") == 2


def test_the_first_of_two_equal_entries_stays() -> None:
    closed: list[object] = []
    cache: CountedCache[object] = CountedCache(4, 2, closed=closed.append)
    first, second = object(), object()
    assert cache.put("a", first) is first
    assert cache.put("a", second) is first
    assert closed == [second]
    cache.clear()
    assert closed == [second, first]
    assert cache.get("a") is None


def test_the_validation_cache_is_emptied_when_it_is_full() -> None:
    cache, checked = ValidationCache(2), []
    for key in (1, 1, 2, 3):
        cache.check(key, lambda key=key: checked.append(key))
    assert checked == [1, 2, 3]
    assert (len(cache), cache.hits, cache.misses) == (1, 1, 3)

    def wrong() -> None:
        raise ValueError

    for _ in range(2):
        with pytest.raises(ValueError):
            cache.check(9, wrong)


# --- where they are found ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "environ, folder",
    [
        ({"PTXGEN_PTX_SOURCE_CACHE_DIR": "/a", "HOME": "/h"}, "/a"),
        ({"PTXGEN_CACHE_DIR": "/c", "XDG_CACHE_HOME": "/x"}, "/c/ptx-source"),
        ({"XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/x/ptxgen/ptx-source"),
    ],
)
def test_the_folder_of_sources(environ: dict[str, str], folder: str) -> None:
    assert disk.ptx_source_cache_dir(environ) == Path(folder)


def test_the_folder_of_compiled_code() -> None:
    assert disk.ptx_disk_cache_dir({"PTXGEN_PTX_CACHE_DIR": "/p"}) == Path("/p")
    assert disk.ptx_disk_cache_dir({"XDG_CACHE_HOME": "/x"}) == Path("/x/ptxgen/ptx-cache")
    with pytest.raises(InvalidProgramError, match=r"^PTXGEN_PTX_CACHE_DIR is empty. Fix: set it to a writable"):
        disk.ptx_disk_cache_dir({"PTXGEN_PTX_CACHE_DIR": "", "HOME": "/h"})


def test_programs_on_disk(tmp_path: Path) -> None:
    cache = disk.SourceStore(tmp_path)
    key, built = keys.digest("test", 1), Built(".version 8.0\n", (("x", "row"), ("w", "columns")))
    assert cache.find(key) is None
    cache.keep(key, built)
    assert cache.find(key) == built


def only_file(folder: Path) -> Path:
    (found,) = [path for path in folder.rglob("*") if path.is_file()]
    return found


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data.replace(b"mul", b"add"),
        lambda data: data[: data.rindex(b"st.global")] + b"}\n",
        lambda data: data.replace(b"scale", b"other"),
        lambda data: data[:90] + b"\0" + data[91:],
        lambda data: b"",
    ],
    ids=["one word is another", "cut inside", "another kernel", "a NUL", "empty"],
)
def test_damaged_programs_are_dropped_and_built_again(
    backend: Backend, device_name: str, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    backend.compile(scale)
    path = only_file(tmp_path / "ptx-source")
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    with Backend.acquire(device_name) as second:
        with pytest.warns(CacheWarning, match=f"{path} was damaged; it is compiled again"):
            pipeline = second.compile(scale)
        assert pipeline.dispatch([floats(1, 2)]) == [floats(2, 4)]
    assert path.read_bytes() == whole


def test_a_whole_entry_that_the_driver_refuses_is_built_again(
    backend: Backend, device_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = scale.build(backend.target)._replace(ptx=".version 8.0\n.target sm_90\nnonsense\n")
    with monkeypatch.context() as patch:
        patch.setattr(type(scale), "build", lambda self, target: refused)
        with pytest.raises(KernelCompileError):
            backend.compile(scale)
    path = only_file(tmp_path / "ptx-source")
    with Backend.acquire(device_name) as second:
        with pytest.warns(CacheWarning, match=f"{path} is refused by the driver"):
            pipeline = second.compile(scale)
        assert pipeline.dispatch([floats(1, 2)]) == [floats(2, 4)]


def test_a_folder_that_others_can_write_is_not_used(
    device_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PTXGEN_PTX_SOURCE_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o777)
    with Backend.acquire(device_name) as made:
        with pytest.warns(CacheWarning, match=r"may be written by others(?s:.)*PTXGEN_PTX_SOURCE_CACHE_DIR"):
            made.compile(scale)
        assert list((tmp_path / "cache").iterdir()) == []


def test_a_folder_that_cannot_be_written(device_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PTXGEN_PTX_SOURCE_CACHE_DIR", str(tmp_path / "file"))
    with Backend.acquire(device_name) as made:
        with pytest.warns(CacheWarning, match=r"cannot be used(?s:.)*PTXGEN_PTX_SOURCE_CACHE_DIR"):
            made.compile(scale)
        made.compile(scale)


# --- keys -------------------------------------------------------------------------------------------------------------


def test_parts_are_counted_with_their_length() -> None:
    assert keys.digest("d", "ab", "c") != keys.digest("d", "a", "bc")
    assert keys.digest("d", "a") != keys.digest("e", "a")
    assert len(keys.digest("d")) == 64


def test_a_module_key_depends_on_the_text_and_the_device() -> None:
    made = {keys.module_key(text, capability) for text in ("a", "b") for capability in ((9, 0), (8, 0))}
    assert len(made) == 4


def test_a_source_key_depends_on_each_part() -> None:
    base = {"program": "p", "target": "sm_90a", "warp_size": 32, "policy": "", "features": ("F16",)}
    changed = {"program": "q", "target": "sm_80", "warp_size": 64, "policy": "c", "features": ()}
    made = {keys.source_key(**base), *[keys.source_key(**{**base, name: value}) for name, value in changed.items()]}
    assert len(made) == 6


def made_with(factor: float, helper=None):
    def body(k: px.Builder, x: Annotated[px.ptr[f32], input_()], y: Annotated[px.ptr[f32], output()]) -> None:
        i = k.global_id.x
        y[i] = x[i] * factor if helper is None else helper(x[i])

    return program(body)


def test_a_program_is_known_by_what_it_does() -> None:
    assert made_with(2.0).key == made_with(2.0).key
    assert made_with(2.0).key != made_with(3.0).key
    assert made_with(2.0, lambda v: v + 1).key != made_with(2.0, lambda v: v + 2).key
    assert scale.using(factor=3.0).key != scale.key == scale.using().key
    assert scale.portable


def test_a_program_is_known_by_its_types_whatever_they_are_called() -> None:
    def of(element):
        def body(k: px.Builder, x: Annotated[px.ptr[element], input_()]) -> None:
            x[0] = x[1] + k.const(element, 1)

        return program(body)

    assert of(f32).key == of(f32).key != of(px.u32).key
    assert of(f32).portable


def test_functions_that_a_program_calls_are_followed() -> None:
    def calling(helper):
        def body(k: px.Builder, x: Annotated[px.ptr[f32], input_()]) -> None:
            x[0] = helper(x[1])

        return program(body)

    @px.func
    def twice(k: px.Builder, v: f32) -> f32:
        return v * 2.0

    @px.func
    def thrice(k: px.Builder, v: f32) -> f32:
        return v * 3.0

    assert calling(twice).portable
    assert calling(twice).key == calling(twice).key != calling(thrice).key


# --- in a backend -----------------------------------------------------------------------------------------------------


def test_a_program_is_built_and_loaded_once(backend: Backend) -> None:
    for _ in range(3):
        backend.compile(scale)
    sources, modules = backend.ptx_source_cache_snapshot(), backend.pipeline_cache_snapshot()
    assert (sources.hits, sources.misses, sources.entries) == (2, 1, 1)
    assert (modules.hits, modules.misses, backend.cached_module_count) == (2, 1, 1)


def test_another_process_finds_the_source_on_disk(backend: Backend, device_name: str, monkeypatch) -> None:
    backend.compile(scale)
    with Backend.acquire(device_name) as second:
        monkeypatch.setattr("ptxgen.runtime.programs.program.Program.build", None)  # it is not built
        assert second.compile(scale).dispatch([floats(3)]) == [floats(6)]
        assert second.compiler.disk is not None
        assert second.compiler.disk.statistics.hits == 1


def test_caches_on_disk_are_turned_off_by_the_environment(device_name: str, monkeypatch) -> None:
    monkeypatch.setenv("PTXGEN_CACHE", "0")
    with Backend.acquire(device_name) as made:
        assert made.compiler.disk is None
        made.compile(scale)


def test_validation_happens_once(backend: Backend, monkeypatch) -> None:
    for config in (None, None, DispatchConfig(graph=False)):
        backend.compile(scale, config)
    assert (backend.compiler.validation.hits, backend.compiler.validation.misses) == (1, 2)
    monkeypatch.setenv("PTXGEN_VALIDATE_DISPATCH", "0")
    backend.compile(scale, DispatchConfig(cooperative=True))
    assert backend.compiler.validation.misses == 2


def test_ptx_that_is_refused_is_kept_for_a_look(backend: Backend, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("PTXGEN_PTX_DUMP_DIR", str(tmp_path / "dump"))
    with pytest.raises(KernelCompileError, match=r"cannot compile the kernel.*Fix: correct the program") as caught:
        backend.compiler.load(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry f() { nonsense; }\n", ("f",), 1
        )
    assert caught.value.compiler_message
    assert [path.name[-11:] for path in (tmp_path / "dump").iterdir()] == [".failed.ptx"]


def test_all_ptx_is_kept_for_a_look(backend: Backend, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("PTXGEN_PTX_DUMP_ALL_DIR", str(tmp_path / "dump"))
    pipeline = backend.compile(scale)
    assert (tmp_path / "dump" / f"{pipeline.module_key}.ptx").read_text() == pipeline.ptx


def test_a_folder_for_ptx_that_cannot_be_written(backend: Backend, tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PTXGEN_PTX_DUMP_ALL_DIR", str(tmp_path / "file" / "below"))
    with pytest.raises(BackendError, match=r"PTX cannot be kept in .*Fix: let PTXGEN_PTX_DUMP_ALL_DIR name a folder"):
        backend.compile(scale)


def test_equal_ptx_is_loaded_once(backend: Backend) -> None:
    text = scale.ptx(backend.target)
    assert backend.compiler.load(text, ("scale",), 3) is backend.compile(scale).loaded()
