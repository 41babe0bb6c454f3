"""Launch configurations: each limit has its own error, before the driver sees anything."""

import pytest

import driver_ctypes as dc


@pytest.mark.parametrize(
    "grid, block, options, limit, message",
    [
        (0, 32, {}, "grid", "grid=0 is not one to three positive integers"),
        ((1, 0), 32, {}, "grid", "positive integers"),
        (1, (1, 2, 3, 4), {}, "block", "one to three"),
        (1.5, 32, {}, "grid", "positive integers"),
        (1, "32", {}, "block", "positive integers"),
        (1, None, {}, "block", "positive integers"),
        (1, 1025, {}, "MAX_THREADS_PER_BLOCK", "has 1025 threads; 1024 are allowed"),
        (1, (32, 32, 2), {}, "MAX_THREADS_PER_BLOCK", "has 2048 threads"),
        (1, (1, 1, 65), {}, "MAX_BLOCK_DIM_Z", "allows 64 in z"),
        (2**31, 32, {}, "MAX_GRID_DIM_X", "allows 2147483647 in x"),
        ((1, 65536), 32, {}, "MAX_GRID_DIM_Y", "allows 65535 in y"),
        ((1, 1, 65536), 32, {}, "MAX_GRID_DIM_Z", "allows 65535 in z"),
        (1, 32, {"shared": 232449}, "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN", "allows 232448 together"),
        (1, 32, {"shared": -1}, "shared", "not a number of bytes"),
        (1, 32, {"shared": 1.5}, "shared", "not a number of bytes"),
        (6, 32, {"cluster": 4}, "cluster", r"cluster \(4, 1, 1\) does not divide grid \(6, 1, 1\)"),
        (32, 32, {"cluster": 32}, "cluster", "clusters of up to 16 CTAs"),
        (1, 32, {"cluster": (0, 1)}, "cluster", "positive integers"),
        (257, 32, {"cooperative": True}, "resident CTAs", "a cooperative grid of 257 CTAs; 256 can be resident"),
    ],
)
@pytest.mark.parametrize("how", ["launch", "bind"])
def test_limit(fake, saxpy, how, grid, block, options, limit, message):
    args = (1, 1.0, 0, 0) if how == "launch" else ()
    with pytest.raises(dc.LaunchConfigError, match=message) as caught:
        getattr(saxpy, how)(grid, block, *args, **options)
    assert caught.value.limit == limit
    assert "kernel 'saxpy'" in str(caught.value)
    assert fake.counts["cuLaunchKernelEx"] == 0
    saxpy.launch(1, 32, 1, 1.0, 0, 0)


def test_the_kernel_s_own_limit(fake, module, saxpy):
    fake.kernels[saxpy.handle].attributes[0] = 512
    with pytest.raises(dc.LaunchConfigError, match="has 1024 threads; 512 are allowed") as caught:
        saxpy.launch(1, 1024, 1, 1.0, 0, 0)
    assert caught.value.limit == "the kernel's MAX_THREADS_PER_BLOCK"
    assert (caught.value.allowed, caught.value.found) == (512, 1024)
    assert "16 registers" in caught.value.hint


def test_static_and_dynamic_shared_memory_count_together(fake, saxpy):
    fake.kernels[saxpy.handle].attributes[1] = 32768
    with pytest.raises(dc.LaunchConfigError) as caught:
        saxpy.launch(1, 32, 1, 1.0, 0, 0, shared=200_000)
    assert caught.value.allowed == 232448 - 32768


def test_more_than_48_kib_of_shared_memory_is_allowed_once(fake, saxpy):
    for shared in (49152, 49153, 100_000, 232_448):
        saxpy.launch(1, 32, 1, 1.0, 0, 0, shared=shared)
    assert [launch.shared for launch in fake.launches] == [49152, 49153, 100_000, 232_448]
    assert fake.counts["cuFuncSetAttribute"] == 1
    assert fake.kernels[saxpy.handle].attributes[8] == 232448


def test_clusters(fake, saxpy, stream):
    saxpy.launch((4, 2), 32, 1, 1.0, 0, 0, cluster=(2, 2), stream=stream)
    saxpy.bind((4, 2), 32, cluster=(2, 1, 1), stream=stream)(1, 1.0, 0, 0)
    saxpy.launch(8, 32, 1, 1.0, 0, 0, stream=stream)
    clusters = [launch.attributes.get(4, b"")[:12] for launch in fake.launches]
    assert clusters == [bytes([2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0]), bytes([2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]), b""]


def test_a_cluster_of_more_than_8_is_allowed_once(fake, saxpy):
    for _ in range(2):
        saxpy.launch(32, 32, 1, 1.0, 0, 0, cluster=16)
    assert fake.kernels[saxpy.handle].attributes[14] == 1
    assert fake.counts["cuFuncSetAttribute"] == 1


def test_a_kernel_made_for_one_cluster_size(fake, saxpy):
    fake.kernels[saxpy.handle].attributes.update({10: 1, 11: 2, 12: 1, 13: 1})
    saxpy.launch(4, 32, 1, 1.0, 0, 0)
    saxpy.launch(4, 32, 1, 1.0, 0, 0, cluster=2)
    with pytest.raises(dc.LaunchConfigError, match=r"made for clusters of \(2, 1, 1\)"):
        saxpy.launch(4, 32, 1, 1.0, 0, 0, cluster=4)
    with pytest.raises(dc.LaunchConfigError, match="does not divide"):
        saxpy.launch(3, 32, 1, 1.0, 0, 0)


def test_a_kernel_that_needs_a_cluster(fake, saxpy):
    fake.kernels[saxpy.handle].attributes[10] = 1
    with pytest.raises(dc.LaunchConfigError, match="must be launched in clusters"):
        saxpy.launch(4, 32, 1, 1.0, 0, 0)
    saxpy.launch(4, 32, 1, 1.0, 0, 0, cluster=2)


@pytest.mark.parametrize("known", [{120: 0, 95: 0}, {120: None, 95: None}], ids=["without", "older than"])
def test_a_device_without_clusters_and_cooperation(fake, saxpy, known):
    for attribute, value in known.items():
        if value is None:
            del fake.attributes[attribute]
        else:
            fake.attributes[attribute] = value
    with pytest.raises(dc.LaunchConfigError, match="the device has no clusters"):
        saxpy.launch(4, 32, 1, 1.0, 0, 0, cluster=2)
    with pytest.raises(dc.LaunchConfigError, match="cannot launch cooperatively"):
        saxpy.launch(4, 32, 1, 1.0, 0, 0, cooperative=True)
    saxpy.launch(4, 32, 1, 1.0, 0, 0)


def test_cooperative_launches(fake, saxpy):
    saxpy.launch(256, 32, 1, 1.0, 0, 0, cooperative=True)
    saxpy.launch(8, 32, 1, 1.0, 0, 0, cooperative=True, cluster=4)
    one, two = fake.launches
    assert one.attributes == {2: b"\1" + bytes(63)}
    assert set(two.attributes) == {2, 4}


def test_numbers_of_numpy_and_lists_are_dimensions(fake, saxpy):
    import numpy as np

    saxpy.launch(np.int64(2), [np.uint8(32), 2], 1, 1.0, 0, 0)
    assert (fake.launches[0].grid, fake.launches[0].block) == ((2, 1, 1), (32, 2, 1))


def test_a_configuration_is_checked_once(fake, saxpy):
    saxpy.launch(2, 32, 1, 1.0, 0, 0)
    before = fake.counts["cuFuncGetAttribute"], fake.counts["cuDeviceGetAttribute"]
    for _ in range(5):
        saxpy.launch(2, 32, 1, 1.0, 0, 0)
    assert (fake.counts["cuFuncGetAttribute"], fake.counts["cuDeviceGetAttribute"]) == before
    for grid in range(1, 200):  # what is remembered is bounded
        saxpy.launch(grid, 32, 1, 1.0, 0, 0)
    assert len(saxpy.configs) <= 64
