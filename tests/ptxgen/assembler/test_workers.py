"""Worker processes: what a crash, a hang, a kill or a fork leaves behind. A fake assembler does each on demand."""

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from ptxgen.assembler import AssemblerCrashed, assemble, assemble_many, assemblers, nvjitlink, shutdown
from ptxgen.assembler.pool import WorkerDied, WorkerPool

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
FAKE = (sys.executable, str(HERE / "fake_worker.py"))
HEAD = ".version 7.0\n.target sm_80\n"


@pytest.fixture(autouse=True)
def no_child_is_left(monkeypatch):
    """Nor a zombie. Other tests may have left workers running in this process: they are ended first."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # for the children: the package may not be installed
    shutdown()
    before = children()
    yield
    shutdown()
    assert wait_until(lambda: children() <= before), f"left over: {children() - before}"


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """The path of an "nvJitLink" whose worker is the fake one."""
    library = tmp_path / "libnvJitLink.so.0"
    library.touch()
    monkeypatch.setattr(nvjitlink, "command", lambda path: (*FAKE, path))
    return str(library)


def running(pid):
    """Whether a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def children():
    """The children of this process, zombies too."""
    lists = [task / "children" for task in Path("/proc/self/task").iterdir()]
    found: set[int] = set()
    for each in lists:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a thread that has ended meanwhile
            found.update(map(int, each.read_text().split()))
    return found


def wait_until(condition, seconds=30):
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


def test_a_crash_is_an_error_of_the_program_that_caused_it(fake):
    with pytest.raises(AssemblerCrashed, match=r"crashed on bad.ptx for sm_80 \(SIGSEGV\)") as caught:
        assemble(HEAD + "CRASH", tool=fake, name="bad.ptx")
    assert caught.value.log == "assembler: internal assertion failed"
    assert "CRASH" not in str(caught.value)
    assert assemble(HEAD, tool=fake).cubin == b"cubin of " + HEAD.encode()


def test_a_hang_ends_at_the_time_limit(fake):
    assert assemble(HEAD, tool=fake).version == "0.1"
    with pytest.raises(AssemblerCrashed, match=r"no answer on module.ptx for sm_80 in 0.2 s"):
        assemble(HEAD + "HANG", tool=fake, time_limit=0.2)
    assert assemble(HEAD, tool=fake)


def test_a_worker_that_an_earlier_program_damaged_does_not_take_an_innocent_one_with_it(fake):
    assemble(HEAD + "POISON", tool=fake)
    assert assemble(HEAD, tool=fake)


def test_in_a_batch_each_program_has_its_own_fate(fake):
    names = ["one", "CRASH", "two", "HANG", "three", "CRASH again", "four"]
    results = assemble_many([HEAD + name for name in names], tool=fake, time_limit=0.5)
    verdicts = ["crashed" if isinstance(result, AssemblerCrashed) else result.cubin.split()[-1] for result in results]
    assert verdicts == [b"one", "crashed", b"two", "crashed", b"three", "crashed", b"four"]


def test_a_worker_killed_while_idle_is_replaced(fake):
    before = children()
    assemble(HEAD, tool=fake)
    (worker,) = children() - before
    os.kill(worker, signal.SIGKILL)
    assert assemble(HEAD, tool=fake)
    assert worker not in children()


def test_crashes_leave_no_descriptors(fake):
    before = sorted(os.listdir("/proc/self/fd"))
    for _ in range(5):
        with pytest.raises(AssemblerCrashed):
            assemble(HEAD + "CRASH", tool=fake)
    shutdown()
    assert sorted(os.listdir("/proc/self/fd")) == before


def test_a_program_larger_than_a_pipe_goes_through(fake):
    program = HEAD + "x" * 3_000_000
    assert len(assemble(program, tool=fake).cubin) == len("cubin of " + program)


def test_threads_share_the_workers(fake):
    before = children()
    wrong = []

    def work(number):
        for step in range(20):
            cubin = assemble(f"{HEAD}{number}.{step}", tool=fake).cubin
            if not cubin.endswith(b"%d.%d" % (number, step)):
                wrong.append(cubin)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(children() - before) <= len(os.sched_getaffinity(0))


def test_after_shutdown_a_waiting_request_ends_and_starts_nothing():
    busy = WorkerPool(FAKE, size=1)
    outcome = []

    def hang():
        try:
            busy.ask([b"assemble", b"", b"HANG"], 60)
        except WorkerDied as death:
            outcome.append(death.cause)

    waiting = [threading.Thread(target=hang) for _ in range(2)]
    for thread in waiting:
        thread.start()
    assert wait_until(lambda: busy.workers)
    busy.close()
    for thread in waiting:
        thread.join(30)
    assert sorted(outcome) == ["SIGKILL", "was shut down"]


def test_a_library_that_does_not_load_is_listed_with_the_loader_s_words(tmp_path, monkeypatch):
    broken = tmp_path / "libnvJitLink.so.7"
    broken.write_text("not a library")
    monkeypatch.setenv("PTXGEN_NVJITLINK", str(broken))
    listed = next(tool for tool in assemblers() if tool.path == str(broken))
    assert not listed.available
    assert "invalid ELF header" in listed.reason or "file too short" in listed.reason


# ---- how a parent ends -----------------------------------------------------------------------------------------------

SETUP = f"""
import os, signal, sys, threading, time
from ptxgen.assembler.pool import pool
fake = pool(({FAKE[0]!r}, {FAKE[1]!r}))
ask = lambda text, limit=60: fake.ask([b"assemble", b"", text], limit)
ask(b"hello")
print(fake.workers[0].process.pid, flush=True)
"""


@contextlib.contextmanager
def parent(script, **options):
    """A process of its own with one worker, and the worker's id."""
    command = [sys.executable, "-W", "error", "-c", SETUP + textwrap.dedent(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **options) as process:
        try:
            yield process, int(process.stdout.readline())
        finally:
            process.kill()


@pytest.mark.parametrize("end", ["", "sys.exit(3)", "raise SystemError", "os.kill(os.getpid(), signal.SIGKILL)"])
def test_workers_end_with_their_parent(end):
    with parent(end, stderr=subprocess.DEVNULL) as (process, worker):
        process.wait(30)
        assert wait_until(lambda: not running(worker))


def test_a_worker_that_hangs_ends_with_its_parent():
    script = 'threading.Thread(target=ask, args=(b"HANG",)).start(); print("asked", flush=True)'
    with parent(script) as (process, worker):
        process.stdout.readline()
        assert running(worker)
        process.kill()
        assert wait_until(lambda: not running(worker))


def test_a_worker_outlives_the_thread_that_started_it_and_ctrl_c():
    script = """
        fake.close()
        fake = pool(fake.command + ("another",))
        thread = threading.Thread(target=ask, args=(b"x",)); thread.start(); thread.join()
        worker = fake.workers[0].process.pid
        print(worker, flush=True)
        os.kill(worker, signal.SIGINT)
        ask(b"again")
        print(fake.workers[0].process.pid)
        """
    with parent(script) as (process, _):
        worker = int(process.stdout.readline())
        assert int(process.stdout.readline()) == worker


def test_a_forked_child_starts_its_own_workers_and_leaves_the_parent_s_alone():
    script = f"""
        child = os.fork()
        if child == 0:
            own = pool({FAKE!r})
            own.ask([b"assemble", b"", b"mine"], 60)
            os._exit(0 if own.workers[0].process.pid != fake.workers[0].process.pid else 1)
        _, status = os.waitpid(child, 0)
        print(status, ask(b"still here")[1].decode(), fake.workers[0].process.pid)
        """
    with parent(script) as (process, worker):
        assert process.stdout.readline().split() == ["0", "cubin", "of", "still", "here", str(worker)]
        assert process.wait(30) == 0


def test_a_forked_child_that_lives_on_does_not_keep_the_parent_s_worker():
    script = """
        if os.fork() == 0:
            time.sleep(30)
            os._exit(0)
        os.kill(os.getpid(), signal.SIGKILL)
        """
    with parent(script) as (process, worker):
        process.wait(30)
        assert wait_until(lambda: not running(worker), 20)
