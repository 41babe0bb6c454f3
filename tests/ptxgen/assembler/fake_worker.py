"""A stand-in for nvJitLink's worker that does what the program's text asks: CRASH, HANG, POISON, or nothing."""

import os
import signal
import time

from ptxgen.assembler.worker import serve

poisoned = False


def answer(request: list[bytes]) -> list[bytes]:
    global poisoned
    if request[0] == b"about":
        return [b"ok", b"0.1", b"sm_80"]
    ptx = request[2]
    if b"CRASH" in ptx or poisoned:
        os.write(2, b"assembler: internal assertion failed\n")
        os.kill(os.getpid(), signal.SIGSEGV)
    if b"HANG" in ptx:
        time.sleep(600)
    poisoned = b"POISON" in ptx
    return [b"ok", b"cubin of " + ptx, b"", b""]


serve(answer)
