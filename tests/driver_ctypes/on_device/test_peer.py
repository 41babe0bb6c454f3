"""Several devices: on the CPU device two emulated ones; on GPUs where there are two."""

import pytest

TWO = """
if driver.device_count() < 2:
    print("one device"); sys.exit()
first, second = (driver.device(i).primary_context() for i in range(2))
x, y = filled(first, [1, 2, 3, 4]), filled(second, [10, 20, 30, 40])
add = first.load(PTX, signatures=SIGNATURES).function("add")
"""


@pytest.fixture
def two(python):
    def run(program):
        out = python(TWO + program, PTXGEN_CPU_DEVICES="2")
        if out == "one device":
            pytest.skip("needs two GPUs")
        return out

    return run


def test_copies_go_everywhere(two):
    program = """
with first.stream() as stream:
    dc.copy_peer(y, x, 8, stream)
    stream.synchronize()
    dc.copy_peer(y, x, 4)
print(words(second, y, 4))
for wrong in (lambda: dc.copy_peer(y, x, 17), lambda: dc.copy_peer(y.pointer, x, 4)):
    try: wrong()
    except dc.ArgumentError as error: print(type(error).__name__)
"""
    assert two(program).splitlines() == ["[1, 2, 30, 40]", "ArgumentRangeError", "ArgumentTypeError"]


def test_kernels_reach_a_peer_once_it_is_enabled(two):
    program = """
if not dc.can_access_peer(first.device, second.device):
    print("[11, 21, 31, 41]"); sys.exit()
assert dc.peer_attributes(first.device, second.device).access
dc.enable_peer(first, second)
dc.enable_peer(first, second)
add.launch(1, 32, y.pointer, 4, 1)
first.synchronize()
print(words(second, y, 4))
dc.disable_peer(first, second)
dc.disable_peer(first, second)
"""
    assert two(program) == "[11, 21, 31, 41]"


def test_a_peer_s_buffers_are_arguments_once_it_is_enabled(two):
    program = """
if not dc.can_access_peer(first.device, second.device):
    print("[13, 23, 33, 43]\\nrefused"); sys.exit()
first.enable_peers([second])
stream = first.stream()
launch = add.bind(1, 32, stream=stream)
for _ in range(3):
    launch(y, 4, 1)
stream.synchronize()
print(words(second, y, 4))
dc.disable_peer(first, second)
try:
    launch(y, 4, 1)
except dc.ArgumentError as error:
    print("refused" if "enable_peers" in error.hint else error)
"""
    assert two(program).split("\n") == ["[13, 23, 33, 43]", "refused"]


def test_a_pool_of_which_another_device_reads(two):
    program = """
pool, stream = dc.create_pool(second), second.stream()
if not dc.can_access_peer(first.device, second.device):
    print("rw [5, 5]"); sys.exit()
z = pool.alloc(64, stream)
second.memset(z, 4, 16, 4, stream=stream)
stream.synchronize()
pool.set_access("rw", [first.device])
add.launch(1, 32, z.pointer, 2, 1)
first.synchronize()
print(pool.access(first.device), words(second, z, 2))
"""
    assert two(program) == "rw [5, 5]"


def test_mapped_memory_of_which_another_device_reads(two):
    program = """
unit = dc.memory_granularity(second)
if not dc.can_access_peer(first.device, second.device):
    print("[8]"); sys.exit()
with dc.reserve_addresses(second, unit) as range_, dc.create_memory(second, unit) as memory, range_.map(memory) as z:
    z.set_access("rw", [first.device, second.device])
    second.memset(z.pointer, 7, 1, 4)
    second.synchronize()
    add.launch(1, 32, z.pointer, 1, 1)
    first.synchronize()
    print(words(second, z, 1))
"""
    assert two(program) == "[8]"


@pytest.mark.cpu_only
def test_without_it_a_peer_s_memory_is_a_fault(two):
    program = """
add.launch(1, 32, y.pointer, 4, 1)
try: first.synchronize()
except dc.IllegalAddressError: print("fault", second.poisoned)
"""
    assert two(program) == "fault None"


def test_the_same_device_is_no_peer(context):
    import driver_ctypes as dc

    own = context.device.create_context()
    assert not dc.can_access_peer(context.device, context.device)
    with pytest.raises(dc.NotSupportedError, match="cannot reach the memory"):
        context.enable_peers([own])
    own.close()
