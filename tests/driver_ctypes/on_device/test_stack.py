"""Calls where Python's stack has no room left: each is made, or says that it was not.

In a process of its own: pytest rewrites what is imported, and CPython 3.11 parses nothing any more once `ast` has run out of
stack (github.com/python/cpython/issues/106905).
"""

import pytest

PROGRAM = """
LAST_FRAMES = 80


def deeper(depth, call):
    # call, with depth frames more below it
    return call() if depth == 0 else deeper(depth - 1, call)


def frames():
    frame, count = sys._getframe(), 0
    while frame is not None:
        frame, count = frame.f_back, count + 1
    return count


def tried(way):
    context = driver.device(0).primary_context()
    put, x = context.load(PTX, signatures=SIGNATURES).function("put"), filled(context, [0] * 4)
    bound = put.bind(1, 1)
    bound(x, 0, 1)
    ways = {
        "memset": lambda: context.memset(x, 7, 1, 4),
        "copy": lambda: context.copy_to_device(x, b"\\7\\0\\0\\0"),
        "launch": lambda: put.launch(1, 1, x, 0, 7),
        "bound": lambda: bound(x, 0, 7),
    }
    raised = 0
    room = sys.getrecursionlimit() - frames()
    for depth in range(room - LAST_FRAMES, room + 1):
        context.memset(x, 0, 4)
        try:
            deeper(depth, ways[way])
        except (RecursionError, ctypes.ArgumentError, dc.CudaError):  # the emulated driver's answer: OPERATING_SYSTEM
            raised += 1
        else:
            assert words(context, x, 1) == [7], depth
    assert 0 < raised < LAST_FRAMES
    print("each was made or refused")
"""


@pytest.mark.parametrize("way", ["memset", "copy", "launch", "bound"])
def test_a_call_without_room_is_no_success(python, way):
    assert python(f"{PROGRAM}\ntried({way!r})\n") == "each was made or refused"
