"""The cache of compiled code on disk: hits and misses, damage, limits, permissions, many writers, disks that refuse."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import driver_ctypes as dc
from driver_ctypes.caches import code, process
from driver_ctypes.caches.code import key_of
from driver_ctypes.caches.folder import cache_folder, open_folder
from driver_ctypes.caches.jit import configure_jit_cache, jit_cache_settings
from driver_ctypes.modules.linker import code_key
from tests.driver_ctypes.kit import open_driver

ROOT = Path(__file__).parents[2]
KEY, OTHER = key_of("one"), key_of("other")

PTX = """.version 7.8
.target sm_75
.address_size 64
.visible .entry put(.param .u64 x, .param .u32 value)
{
    .reg .u32 %r<2>; .reg .u64 %d<2>;
    ld.param.u64 %d1, [x];
    ld.param.u32 %r1, [value];
    st.global.u32 [%d1], %r1;
    ret;
}
"""


@pytest.fixture(scope="module")
def context(device_name):
    """Of a driver that does not keep code itself: NVIDIA's is taken for one here."""
    opened = open_driver(device_name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opened, "cache_code", False)
        yield opened.device(0).primary_context()


@pytest.fixture
def cache(tmp_path):
    return dc.CubinCache(tmp_path / "cubin")


def entry_of(cache):
    (path,) = cache.folder.glob("??/*.cubin")
    return path


# --- entries ----------------------------------------------------------------------------------------------------------


def test_what_was_put_is_got(cache):
    assert cache.get(KEY) is None
    cache.put(KEY, b"code" * 100, "the compiler's words")
    found = cache.get(KEY)
    assert (found.image, found.log) == (b"code" * 100, "the compiler's words")
    assert cache.get(OTHER) is None
    used = cache.statistics
    assert (used.hits, used.misses, used.stored, used.repaired, used.failures) == (1, 2, 1, 0, 0)
    assert used.bytes_read == used.bytes_written == cache.size()[1] > 400
    assert cache.size()[0] == 1
    cache.clear()
    assert cache.size() == (0, 0)


def test_keys_keep_their_parts_apart():
    keys = [
        key_of("ab", "c"),
        key_of("a", "bc"),
        key_of("abc"),
        key_of(b"abc", ""),
        key_of("", "abc"),
        key_of("ab", "d"),
    ]
    assert len(set(keys)) == len(keys)
    assert {len(key) for key in keys} == {64}


def test_only_this_user_may_read_or_write(cache):
    cache.put(KEY, b"code")
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (cache.folder, entry_of(cache).parent, entry_of(cache))]
    assert modes == [0o700, 0o700, 0o600]


DAMAGES = {
    "cut": lambda data: data[:-1],
    "empty": lambda data: b"",
    "head only": lambda data: data[:20],
    "a bit in the code": lambda data: data[:-1] + bytes([data[-1] ^ 1]),
    "a bit in the log": lambda data: data.replace(b"words", b"wordz"),
    "longer": lambda data: data + b"x",
    "another format": lambda data: b"something else" + data,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_entry_is_dropped_and_reported(cache, damage):
    cache.put(KEY, b"code", "words")
    entry_of(cache).write_bytes(DAMAGES[damage](entry_of(cache).read_bytes()))
    with pytest.warns(dc.CacheWarning, match="was damaged; it is compiled again"):
        assert cache.get(KEY) is None
    assert cache.statistics.repaired == 1
    assert cache.size() == (0, 0)
    cache.put(KEY, b"code", "words")
    assert cache.get(KEY).image == b"code"


def test_an_entry_at_another_s_place_is_damage(cache):
    cache.put(KEY, b"code")
    place = cache._path(OTHER)
    place.parent.mkdir(exist_ok=True)
    entry_of(cache).rename(place)
    with pytest.warns(dc.CacheWarning, match="damaged"):
        assert cache.get(OTHER) is None


def test_a_strict_cache_raises(tmp_path):
    cache = dc.CubinCache(tmp_path / "cubin", strict=True)
    cache.put(KEY, b"code")
    entry_of(cache).write_bytes(b"")
    with pytest.raises(dc.CacheCorruptError, match="was damaged") as caught:
        cache.get(KEY)
    assert "try again" in caught.value.hint
    assert cache.get(KEY) is None


# --- limits -----------------------------------------------------------------------------------------------------------


def test_what_was_not_used_for_the_longest_time_goes(tmp_path):
    cache = dc.CubinCache(tmp_path, limit=10_000)
    keys = [key_of(number) for number in range(12)]
    for age, key in enumerate(keys[:8]):
        cache.put(key, bytes(1000))
        os.utime(cache._path(key), (time.time() - 100 + age,) * 2)
    assert cache.get(keys[0]) is not None  # used just now
    for key in keys[8:]:
        cache.put(key, bytes(1000))
    entries, nbytes = cache.size()
    assert nbytes <= 10_000
    assert cache.statistics.evicted == 12 - entries > 0
    assert cache.get(keys[0]) is not None
    assert cache.get(keys[11]) is not None
    assert cache.get(keys[1]) is None


def test_what_is_larger_than_the_limit_is_not_kept(tmp_path):
    cache = dc.CubinCache(tmp_path, limit=100)
    cache.put(KEY, bytes(1000))
    assert cache.get(KEY) is None
    assert cache.problem is None


def test_what_a_dead_writer_left_is_removed(cache):
    cache.put(KEY, b"code")
    left, fresh = (entry_of(cache).with_name(name) for name in (".1.2.3.tmp", ".4.5.6.tmp"))
    for path in (left, fresh):
        path.write_bytes(b"half")
    os.utime(left, (time.time() - 7200,) * 2)
    cache._bytes = None  # look again
    cache.put(OTHER, b"code")
    assert not left.exists()
    assert fresh.exists()


# --- what the system refuses ------------------------------------------------------------------------------------------


def refuse(monkeypatch, number):
    def write(name, data, folder):
        raise OSError(number, os.strerror(number), name)

    monkeypatch.setattr(code, "write", write)


@pytest.mark.parametrize(
    "number, kind", [(errno.ENOSPC, dc.CacheFullError), (errno.EDQUOT, dc.CacheFullError),
                     (errno.EACCES, dc.CacheUnwritableError), (errno.EROFS, dc.CacheUnwritableError)]
)  # fmt: skip
def test_a_disk_that_refuses_is_said_once_and_read_on(cache, monkeypatch, number, kind):
    cache.put(OTHER, b"kept before")
    refuse(monkeypatch, number)
    with pytest.warns(dc.CacheWarning, match="What is there is used; new code is not kept") as said:
        cache.put(KEY, b"code")
    cache.put(KEY, b"code")
    assert cache.get(KEY) is None
    assert cache.get(OTHER).image == b"kept before"
    assert len(said) == 1
    assert "only read" in repr(cache)
    assert isinstance(cache.problem, kind)
    assert isinstance(cache.problem, OSError)
    assert "PTXGEN_CACHE_DIR" in cache.problem.hint
    with pytest.raises(kind, match="cannot be written"):
        dc.CubinCache(cache.folder, strict=True).put(KEY, b"code")
    assert [path.name for path in cache.folder.rglob("*.tmp")] == []


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    cache = dc.CubinCache(tmp_path / "file" / "cubin")
    with pytest.warns(dc.CacheWarning, match="cannot be used"):
        assert cache.get(KEY) is None
    cache.put(KEY, b"code")
    assert isinstance(cache.problem, dc.CacheUnwritableError)


def test_a_damaged_entry_that_cannot_be_removed_fails_no_load(cache, monkeypatch):
    cache.put(KEY, b"code")
    (path,) = cache.folder.glob("??/*")
    path.write_bytes(b"damaged")

    def unlink(name, dir_fd=None):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), name)

    monkeypatch.setattr(os, "unlink", unlink)
    with pytest.warns(dc.CacheWarning, match="was damaged; it is compiled again"):
        assert cache.get(KEY) is None
    with pytest.raises(dc.CacheCorruptError) as caught:
        dc.CubinCache(cache.folder, strict=True).get(KEY)
    assert "the folder cannot be written" in caught.value.hint
    cache.clear()
    assert dc.CubinCache(cache.folder, limit=1)._make_room(10) is None, "what cannot be evicted stays"


def test_a_file_in_the_place_of_a_folder_fails_no_load(cache):
    cache.folder.mkdir(parents=True, exist_ok=True)
    cache.folder.chmod(0o700)
    (cache.folder / KEY[:2]).write_text("no folder")
    with pytest.warns(dc.CacheWarning, match="cannot be written"):
        cache.put(KEY, b"code")
    cache.put(OTHER, b"code")
    assert cache.get(OTHER) is None


# --- whom it trusts ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o1777, 0o720])
@pytest.mark.parametrize("level", ["the folder", "a folder above it", "a folder in it"])
def test_a_level_that_others_may_write_to_is_not_trusted(tmp_path, level, mode):
    """Who can write to it may have put code there; so nobody is told to keep what is in it."""
    folder = tmp_path / "above" / "cubin"
    cache = dc.CubinCache(folder)
    cache.put(KEY, b"code")
    changed = {"the folder": folder, "a folder above it": folder.parent, "a folder in it": folder / KEY[:2]}[level]
    changed.chmod(mode)
    if level == "a folder above it" and mode & stat.S_ISVTX:  # there others cannot replace what is not theirs
        assert cache.get(KEY).image == b"code"
        return
    with pytest.warns(dc.CacheWarning, match="may be written by others, so code in it could be anybody's"):
        assert cache.get(KEY) is None, "each use looks again"
    cache.put(OTHER, b"code")
    assert cache.statistics.stored == 1
    with pytest.raises(dc.CacheUnsafeError) as caught:
        dc.CubinCache(folder, strict=True).get(KEY)
    assert "remove it" in caught.value.hint
    assert "chmod" not in caught.value.hint


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
@pytest.mark.parametrize("level", ["the folder", "a folder above it", "a folder in it", "the entry"])
def test_what_belongs_to_another_user_is_not_trusted(tmp_path, level):
    folder = tmp_path / "above" / "cubin"
    cache = dc.CubinCache(folder)
    cache.put(KEY, b"code")
    places = {"the folder": folder, "a folder above it": folder.parent, "a folder in it": folder / KEY[:2]}
    os.chown(places.get(level, entry_of(cache)), 12345, 12345)
    if level == "the entry":
        assert cache.get(KEY) is None
        assert cache.statistics.misses == 1
        return
    with pytest.warns(dc.CacheWarning, match="belongs to another user"):
        assert cache.get(KEY) is None


def test_links_of_the_user_s_own_may_be_on_the_way(tmp_path):
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "real" / "more").symlink_to(tmp_path / "real")
    cache = dc.CubinCache(tmp_path / "link" / "more" / "cubin")
    cache.put(KEY, b"code")
    assert (tmp_path / "real" / "cubin").is_dir()
    assert cache.get(KEY).image == b"code"
    (tmp_path / "loop").symlink_to("loop")
    with pytest.warns(dc.CacheWarning, match="Too many levels of symbolic links"):
        assert dc.CubinCache(tmp_path / "loop" / "cubin").get(KEY) is None


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a link away")
def test_a_link_of_another_user_s_is_not_followed(tmp_path):
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to("real")
    os.lchown(tmp_path / "link", 12345, 12345)
    with pytest.warns(dc.CacheWarning, match="is a link of another user's"):
        assert dc.CubinCache(tmp_path / "link" / "cubin").get(KEY) is None


@pytest.mark.parametrize("link", [False, True], ids=["folder", "absolute link"])
def test_a_handler_that_raises_behind_a_close_closes_nothing_twice(tmp_path, monkeypatch, link):
    """Its number may be another thread's by then."""
    folder = tmp_path / "real"
    folder.mkdir(mode=0o700)
    path = tmp_path / "link" if link else folder
    if link:
        path.symlink_to(folder)
    close, closes, due = os.close, 0, 0

    class Alarm(Exception):
        pass

    def close_and_raise(at):
        nonlocal closes
        close(at)
        closes += 1
        if closes == due:
            raise Alarm

    monkeypatch.setattr(os, "close", close_and_raise)
    before = len(os.listdir("/proc/self/fd"))
    for number in range(1, 2 * len(path.parts)):
        closes, due = 0, number
        try:
            with open_folder(str(path)):
                pass
        except Alarm:
            continue
        break
    assert number > len(folder.parts)  # each close of the way was the one
    assert len(os.listdir("/proc/self/fd")) == before


def test_the_folders_that_are_made_are_private(tmp_path):
    before = os.umask(0)
    try:
        dc.CubinCache(tmp_path / "a" / "b" / "cubin").put(KEY, b"code")
    finally:
        os.umask(before)
    made = [
        tmp_path / "a",
        tmp_path / "a" / "b",
        tmp_path / "a" / "b" / "cubin",
        tmp_path / "a" / "b" / "cubin" / KEY[:2],
    ]
    assert [stat.S_IMODE(path.stat().st_mode) for path in made] == [0o700] * 4


def _sparse(path):
    with path.open("wb") as file:
        file.truncate(1 << 42)


ODD_ENTRIES = {
    "a folder": lambda path, image: path.mkdir(),
    "a folder with files": lambda path, image: (path.mkdir(), (path / "x").write_bytes(b"x")),
    "a pipe": lambda path, image: os.mkfifo(path),
    "a link to an entry": lambda path, image: (path.with_suffix(".real").write_bytes(image),
                                               path.symlink_to(path.with_suffix(".real"))),
    "a link to nothing": lambda path, image: path.symlink_to("nowhere"),
    "a link to itself": lambda path, image: path.symlink_to(path),
    "a huge sparse file": lambda path, image: _sparse(path),
    "a file that others may write": lambda path, image: (path.write_bytes(image), path.chmod(0o666)),
}  # fmt: skip


@pytest.mark.parametrize("kind", ODD_ENTRIES)
def test_what_is_no_file_of_the_user_s_is_passed_by(cache, kind):
    cache.put(KEY, b"code")
    place = entry_of(cache)
    image = place.read_bytes()
    place.unlink()
    ODD_ENTRIES[kind](place, image)
    assert cache.get(KEY) is None
    assert cache.problem is None
    cache.put(KEY, b"code")
    cache.put(OTHER, b"other")
    assert cache.get(OTHER).image == b"other"
    assert cache.problem is None
    cache.size()
    cache.clear()
    assert cache.get(OTHER) is None


def test_a_damaged_head_is_all_that_is_read_of_a_large_file(tmp_path):
    cache = dc.CubinCache(tmp_path, limit=1 << 43)
    cache.put(KEY, b"code")
    entry_of(cache).unlink()
    _sparse(cache._path(KEY))
    with pytest.warns(dc.CacheWarning, match="was damaged"):
        assert cache.get(KEY) is None


def test_a_folder_that_is_removed_is_made_again(cache):
    cache.put(KEY, b"code")
    shutil.rmtree(cache.folder)
    assert cache.get(KEY) is None
    cache.put(KEY, b"code")
    assert cache.get(KEY).image == b"code"


# --- many at once -----------------------------------------------------------------------------------------------------


def test_many_threads(tmp_path):
    cache = dc.CubinCache(tmp_path, limit=60_000)
    wrong = []

    def work(number):
        for turn in range(60):
            which = (number * 7 + turn) % 20
            found = cache.get(key_of(which))
            if found is not None and found.image != bytes([which]) * 4000:
                wrong.append(which)
            cache.put(key_of(which), bytes([which]) * 4000)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert cache.statistics.repaired == cache.statistics.failures == 0
    assert cache.size()[1] <= 60_000


WORKER = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
import driver_ctypes as dc
from driver_ctypes.caches.code import key_of
cache = dc.CubinCache(sys.argv[1], limit=40_000, strict=True)
for turn in range(150):
    which = (int(sys.argv[2]) * 7 + turn) % 20
    found = cache.get(key_of(which))
    assert found is None or found.image == bytes([which]) * 4000
    cache.put(key_of(which), bytes([which]) * 4000)
print(cache.statistics.repaired, cache.statistics.failures)
"""


def test_many_processes(tmp_path):
    """Four processes read, write and evict the same entries: no reader sees a part of one."""
    workers = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", WORKER, str(tmp_path / "cubin"), str(number)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for number in range(4)
    ]  # fmt: skip
    assert [worker.communicate(timeout=60) for worker in workers] == [("0 0\n", "")] * 4
    assert list((tmp_path / "cubin").rglob("*.tmp")) == []


# --- loading through it -----------------------------------------------------------------------------------------------


def value_after(context, module):
    with context.alloc(64) as x:
        module.function("put").launch(1, 1, x, (7).to_bytes(4, "little"))
        host = bytearray(4)
        context.copy_to_host(host, x, 4)
    return int.from_bytes(host, "little")


def test_a_second_load_comes_from_the_cache(context, cache, tmp_path):
    text = f"{PTX}// {tmp_path}\n"  # new to the driver's own cache, with which comes no log
    for cached in (False, True, True):
        with context.load(text, cache=cache) as module:
            assert module.cached is cached
            assert value_after(context, module) == 7
            assert module.resources["put"].registers > 0  # the log was kept with the code
            assert (module.milliseconds > 0) is not cached
    assert (cache.statistics.hits, cache.statistics.misses) == (2, 1)
    with context.load(text, cache=False) as module:
        assert not module.cached


def test_the_key_has_everything_that_the_code_depends_on(context):
    plain = code_key(context, PTX.encode(), {})
    assert plain == code_key(context, PTX.encode(), {})
    assert plain != code_key(context, PTX.encode() + b" ", {})
    assert plain != code_key(context, PTX.encode(), {7: 2})
    driver = context.driver
    try:
        driver.version += 10
        assert plain != code_key(context, PTX.encode(), {})
    finally:
        driver.version -= 10


def test_a_damaged_entry_is_compiled_again(context, cache):
    context.load(PTX, cache=cache).close()
    entry_of(cache).write_bytes(b"garbage")
    with pytest.warns(dc.CacheWarning, match="damaged"), context.load(PTX, cache=cache) as module:
        assert value_after(context, module) == 7
    with context.load(PTX, cache=cache) as module:
        assert module.cached


def test_an_entry_that_the_driver_refuses_is_dropped(context, cache):
    key = code_key(context, PTX.rstrip("\0").encode(), {})
    cache.put(key, b"hello: whole, and no code at all")
    with pytest.warns(dc.CacheWarning, match="is refused by the driver"):
        module = context.load(PTX, cache=cache)
    assert value_after(context, module) == 7
    assert not module.cached
    module.close()
    with context.load(PTX, cache=cache) as module:
        assert not module.cached
    with context.load(PTX, cache=cache) as module:
        assert module.cached


def test_errors_are_those_of_a_load_without_it(context, cache):
    bad = PTX.replace("st.global.u32 [%d1], %r1;", "st.global.u32 [%d1] %r1;")
    texts = []
    for chosen in (cache, False):
        with pytest.raises(dc.JitError) as caught:
            context.load(bad, cache=chosen, line_map=lambda line: f"kernel.py:{line}")
        texts.append(str(caught.value))
    assert texts[0] == texts[1]
    assert "from kernel.py:" in texts[0]
    assert cache.size() == (0, 0)


def test_a_full_disk_keeps_nothing_from_loading(context, cache, monkeypatch):
    refuse(monkeypatch, errno.ENOSPC)
    with pytest.warns(dc.CacheWarning, match="No space left"):
        context.load(PTX, cache=cache).close()
    with context.load(PTX, cache=cache) as module:
        assert value_after(context, module) == 7


def test_who_uses_it_by_default(context, cache, monkeypatch):
    """NVIDIA's driver alone, which keeps code itself and writes no log for what it finds."""
    from driver_ctypes.modules.module import chosen_cache

    for cache_code in (False, True):
        monkeypatch.setattr(context.driver, "cache_code", cache_code)
        dc.set_cubin_cache(cache)
        assert chosen_cache(context, None) is (cache if cache_code else None)
        assert chosen_cache(context, False) is None
        assert chosen_cache(context, True) is cache
        assert chosen_cache(context, cache) is cache
    monkeypatch.setattr(process._Process, "chosen", False)


@pytest.mark.parametrize("how", ["default", "switch", "True", "one"])
def test_the_cache_never_changes_what_runs(how, tmp_path, monkeypatch):
    """A driver with a compiler gets the program itself, however the cache was asked for: its linker makes other code of it."""
    from tests.driver_ctypes.fake import Fake

    fake = Fake()
    context = fake.open(cache_code=True).device(0).primary_context()
    monkeypatch.setenv("PTXGEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(process._Process, "chosen", False)
    if how == "switch":
        monkeypatch.setenv("PTXGEN_CACHE", "1")
    asked = {"True": True, "one": dc.CubinCache(tmp_path / "mine")}.get(how)
    fake.jit_answers[PTX] = (0, "", "ptxas info    : (C7504) Potential Performance Loss: 'setmaxnreg' ignored\n")
    for _ in range(2):
        with context.load(PTX, cache=asked) as module:
            assert not module.cached
            assert [message.severity for message in module.warnings] == ["warning"]
    called = [name for name, *_ in fake.calls]
    assert called.count("cuModuleLoadDataEx") == 2
    assert not [name for name in called if name.startswith("cuLink")]
    monkeypatch.setattr(process._Process, "chosen", False)


def test_the_log_of_a_compilation_is_kept_for_loads_that_the_driver_s_own_cache_serves(tmp_path, monkeypatch):
    from tests.driver_ctypes.fake import Fake

    fake = Fake()
    context = fake.open(cache_code=True).device(0).primary_context()
    monkeypatch.setattr(process._Process, "chosen", True)
    monkeypatch.setattr(process._Process, "cache", dc.CubinCache(tmp_path / "cubin"))
    log = "ptxas info    : Compiling entry function 'put' for 'sm_90'\nptxas info    : Used 12 registers, used 0 barriers\n"
    fake.jit_answers[PTX] = (0, "", log)
    assert context.load(PTX).resources["put"].registers == 12
    fake.jit_answers[PTX] = (0, "", "")  # the driver had it
    assert context.load(PTX).resources["put"].registers == 12
    assert context.load(PTX, cache=False).resources == {}
    assert context.load(PTX + "// another\n").resources == {}
    monkeypatch.setattr(process._Process, "chosen", False)


# --- where it lies ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "environ, expected",
    [
        ({"PTXGEN_CACHE_DIR": "/a", "XDG_CACHE_HOME": "/b"}, "/a"),
        ({"XDG_CACHE_HOME": "/b"}, "/b/ptxgen"),
        ({"XDG_CACHE_HOME": "relative"}, str(Path.home() / ".cache" / "ptxgen")),
        ({}, str(Path.home() / ".cache" / "ptxgen")),
    ],
)
def test_the_folder(environ, expected):
    assert cache_folder(environ) == Path(expected)


def test_the_process_s_cache(monkeypatch, tmp_path):
    for name, value in {"PTXGEN_CACHE_DIR": str(tmp_path), "PTXGEN_CACHE_BYTES": "3M"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(process._Process, "chosen", False)
    cache = dc.cubin_cache()
    assert (cache.folder, cache.limit) == (tmp_path / "cubin", 3 << 20)
    assert dc.cubin_cache() is cache
    dc.set_cubin_cache(None)
    assert dc.cubin_cache() is None
    monkeypatch.setenv("PTXGEN_CACHE_BYTES", "a lot")
    with pytest.raises(dc.CacheError, match="not a number of bytes"):
        dc.CubinCache(tmp_path)
    monkeypatch.setenv("PTXGEN_CACHE", "off")
    monkeypatch.setattr(process._Process, "chosen", False)
    assert dc.cubin_cache() is None
    monkeypatch.setattr(process._Process, "chosen", False)


@pytest.mark.parametrize(
    "name, value, said",
    [
        ("PTXGEN_CACHE_DIR", "~nobody-of-this-name/x", "home directory"),
        ("PTXGEN_CACHE_BYTES", "a lot", "not a number of bytes"),
    ],
)
def test_a_setting_that_means_nothing_is_said_and_code_is_compiled(monkeypatch, name, value, said):
    monkeypatch.setenv(name, value)
    monkeypatch.setattr(process._Process, "chosen", False)
    monkeypatch.setattr(process._Process, "others", {})
    for find in (dc.cubin_cache, lambda: process.code_store("cpu")):
        with pytest.warns(dc.CacheWarning, match=said):
            assert find() is None
    monkeypatch.setattr(process._Process, "chosen", False)


# --- the driver's own cache -------------------------------------------------------------------------------------------


def test_the_driver_s_cache_gets_what_the_user_left_open(tmp_path):
    environ = {"PTXGEN_CACHE_DIR": str(tmp_path)}
    settings = configure_jit_cache(environ)
    assert settings == (True, str(tmp_path / "jit"), 1 << 30, ("CUDA_CACHE_MAXSIZE", "CUDA_CACHE_PATH"), ())
    assert environ["CUDA_CACHE_PATH"] == str(tmp_path / "jit")
    assert stat.S_IMODE((tmp_path / "jit").stat().st_mode) == 0o700


def test_the_user_s_settings_stay(tmp_path):
    mine = {"CUDA_CACHE_PATH": str(tmp_path), "CUDA_CACHE_MAXSIZE": str(1 << 29), "PTXGEN_CACHE_DIR": "/elsewhere"}
    environ = dict(mine)
    settings = configure_jit_cache(environ)
    assert environ == mine
    assert settings == (True, str(tmp_path), 1 << 29, (), ())


@pytest.mark.parametrize(
    "environ, problem",
    [
        ({"CUDA_CACHE_DISABLE": "yes"}, "CUDA_CACHE_DISABLE is 'yes': write 0 or 1"),
        ({"CUDA_CACHE_MAXSIZE": "1G"}, "CUDA_CACHE_MAXSIZE is '1G': write a number of bytes"),
        ({"CUDA_CACHE_MAXSIZE": "1000"}, "a few large programs fill"),
        ({"CUDA_CACHE_PATH": "/dev/null/cache"}, "cannot write to its cache /dev/null/cache"),
    ],
)
def test_settings_that_cannot_be_meant(tmp_path, environ, problem):
    (said,) = jit_cache_settings({"CUDA_CACHE_PATH": str(tmp_path), **environ}).problems
    assert problem in said
