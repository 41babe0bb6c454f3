"""Launches: what reaches the driver, from which thread, and what a bound launcher costs in checks."""

import struct
import threading

import pytest


def unpack(launch):
    n, a, x, y = (arg for arg in launch.args)
    return (*struct.unpack("<I", n), *struct.unpack("<f", a), *struct.unpack("<Q", x), *struct.unpack("<Q", y))


def test_launch_sends_configuration_and_arguments(fake, context, saxpy, stream):
    x, y = context.alloc(64), context.alloc(64)
    saxpy.launch((3, 2), 128, 16, 0.5, x, y, shared=1024, stream=stream)
    (launch,) = fake.launches
    assert (launch.kernel, launch.grid, launch.block) == ("saxpy", (3, 2, 1), (128, 1, 1))
    assert (launch.shared, launch.stream) == (1024, stream.handle)
    assert unpack(launch) == (16, 0.5, x.pointer, y.pointer)
    assert launch.attributes == {}


def test_bound_launcher_sends_the_same(fake, context, saxpy, stream):
    x = context.alloc(64)
    launcher = saxpy.bind((3, 2), 128, shared=1024, stream=stream)
    for n in range(5):
        launcher(n, n / 2, x, 0xFFFF_FFFF_FFFF_FFFF)
    assert [unpack(launch)[:2] for launch in fake.launches] == [(n, n / 2) for n in range(5)]
    assert {(launch.grid, launch.shared, launch.stream) for launch in fake.launches} == {
        ((3, 2, 1), 1024, stream.handle)
    }


@pytest.mark.parametrize("own_stream", [True, False], ids=["stream", "default stream"])
def test_80_000_launches_from_4_threads_each_with_its_own_arguments(fake, context, saxpy, own_stream):
    launcher = saxpy.bind(1, 32, stream=context.stream() if own_stream else None)
    start = threading.Barrier(4)

    def work(number):
        start.wait()
        for i in range(20_000):
            launcher(i, float(number), number, i)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    by_thread = {}
    for launch in fake.launches:
        by_thread.setdefault(launch.thread, []).append(unpack(launch))
    assert sorted(sent[0][2] for sent in by_thread.values()) == [0, 1, 2, 3]
    for sent in by_thread.values():
        number = sent[0][2]
        assert sent == [(i, float(number), number, i) for i in range(20_000)]
