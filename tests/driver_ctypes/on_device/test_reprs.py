"""What objects say of themselves: what they are, how large, and in which state."""

import driver_ctypes as dc
import ptxgen as px
from tests.driver_ctypes.kit import PTX


def test_what_is_seen_at_a_prompt(context, stream, put, x):
    capture = stream.capture()
    assert repr(capture) == f"<Capture of {stream!r}: without a graph>"
    with capture:
        assert repr(capture).endswith(": going on>")
        put.launch(1, 1, x, 0, 1, stream=stream)
    assert repr(capture).endswith(": captured>")
    capture.graph.close()
    linked = dc.link(context, [PTX])
    assert repr(linked).startswith(f"<Linked {len(linked.image)} bytes, ")
    with dc.memory_account() as account, context.alloc(64):
        assert repr(account) == "<MemoryAccount open: 1 allocations, 0 frees, 64 bytes there>"
    assert repr(account) == "<MemoryAccount ended: 1 allocations, 1 frees, 0 bytes there>"
    assert repr(x[4:8]) == f"<BufferPart of 4 bytes at 4 of {x!r}>"


def test_a_tensor_map_says_its_shape(context):
    with context.alloc(4096) as memory:
        table = dc.tensor_map(memory, "u8", (64, 64), (16, 16))
        assert (table.shape, repr(table)) == ((64, 64), f"<TensorMap of (64, 64) over {memory!r}>")
    assert repr(dc.TensorMap()) == "<TensorMap, empty>"


def test_a_graph_of_a_device(device_name):
    device = px.device(device_name)
    graph = device.capture()
    assert repr(graph) == f"<graph on {device.name}: not captured>"
    x = device.zeros(4, px.u32)
    with graph:
        assert repr(graph).endswith("being captured>")
        x.fill(1)
    assert "GraphExec" in repr(graph)
    graph.close()
    assert repr(graph) == f"<graph on {device.name}: closed>"
    x.close()
