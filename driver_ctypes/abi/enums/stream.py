"""Streams, events and capture."""

from enum import IntEnum, IntFlag


class CUstream_flags(IntFlag):
    """``CU_STREAM_...``"""

    DEFAULT = 0
    NON_BLOCKING = 1


class CUevent_flags(IntFlag):
    """``CU_EVENT_...``"""

    DEFAULT = 0
    BLOCKING_SYNC = 1
    DISABLE_TIMING = 2
    INTERPROCESS = 4


class CUevent_record_flags(IntFlag):
    """``CU_EVENT_RECORD_...``"""

    DEFAULT = 0
    EXTERNAL = 1


class CUevent_wait_flags(IntFlag):
    """``CU_EVENT_WAIT_...``"""

    DEFAULT = 0
    EXTERNAL = 1


class CUstreamCaptureMode(IntEnum):
    """``CU_STREAM_CAPTURE_MODE_...``"""

    GLOBAL = 0
    THREAD_LOCAL = 1
    RELAXED = 2


class CUstreamCaptureStatus(IntEnum):
    """``CU_STREAM_CAPTURE_STATUS_...``"""

    NONE = 0
    ACTIVE = 1
    INVALIDATED = 2


class CUstreamUpdateCaptureDependencies_flags(IntEnum):
    """``CU_STREAM_...``"""

    ADD_CAPTURE_DEPENDENCIES = 0
    SET_CAPTURE_DEPENDENCIES = 1


class CUstreamWaitValue_flags(IntFlag):
    """``CU_STREAM_WAIT_VALUE_...``"""

    GEQ = 0
    EQ = 1
    AND = 2
    NOR = 3
    FLUSH = 0x40000000


class CUstreamWriteValue_flags(IntFlag):
    """``CU_STREAM_WRITE_VALUE_...``"""

    DEFAULT = 0
    NO_MEMORY_BARRIER = 1


class CUstreamBatchMemOpType(IntEnum):
    """``CU_STREAM_MEM_OP_...``"""

    WAIT_VALUE_32 = 1
    WRITE_VALUE_32 = 2
    FLUSH_REMOTE_WRITES = 3
    WAIT_VALUE_64 = 4
    WRITE_VALUE_64 = 5
    BARRIER = 6


class CUstreamMemoryBarrier_flags(IntFlag):
    """``CU_STREAM_MEMORY_BARRIER_TYPE_...``"""

    SYS = 0
    GPU = 1
