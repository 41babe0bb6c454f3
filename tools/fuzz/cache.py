"""The cache of machine code: whatever lies in its folder, an entry is read as it was written, or not at all.

A case is a line of JSON for each change of the folder: the entry, what is done to it, and numbers.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import warnings
from pathlib import Path
from random import Random
from typing import Any

from driver_ctypes.caches.code import CodeStore
from driver_ctypes.errors import CacheWarning
from tools.fuzz._target import Target, Wrong

ENTRIES = 4
KINDS = (
    "flip", "flip", "cut", "grow", "empty", "swap", "copy", "garbage", "numbers", "zero", "folder", "pipe", "link",
    "sparse", "remove", "mode",
)  # fmt: skip


class Cache(Target):
    def __init__(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="ptxgen-fuzz-"))
        self.folder = self.home / "cache"
        rng = Random(0)
        self.kept = {rng.randbytes(32).hex(): (rng.randbytes(20 + 300 * i), "log " * i) for i in range(ENTRIES)}
        store = CodeStore(self.folder)
        for key, (image, log) in self.kept.items():
            store.put(key, image, log)
        self.whole = {key: store._path(key).read_bytes() for key in self.kept}
        self.path = {key: store._path(key) for key in self.kept}

    def draw(self, rng: Random) -> str:
        count = rng.choice((1, 1, 2, 3))
        rows = [[rng.randrange(ENTRIES), rng.choice(KINDS), rng.randrange(1 << 30)] for _ in range(count)]
        return "".join(json.dumps(row) + "\n" for row in rows)

    def judge(self, case: str) -> None:
        changed = [json.loads(line) for line in case.splitlines()]
        for entry, what, number in changed:
            self._change(list(self.kept)[entry], what, Random(number))
        store = CodeStore(self.folder)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CacheWarning)
            for key, (image, log) in self.kept.items():
                found = store.get(key)
                if found is not None and (bytes(found.image), found.log) != (image, log):
                    raise Wrong(f"the entry {key} has other content than was kept")
                if found is None:
                    store.put(key, image, log)
            store.size()
        self._mend([list(self.kept)[entry] for entry, _, _ in changed])

    def _mend(self, keys: list[str]) -> None:
        for key, path in self.path.items():
            if key in keys or not path.is_file():
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
                path.unlink(missing_ok=True)
                path.write_bytes(self.whole[key])
                path.chmod(0o600)

    def _change(self, key: str, what: str, rng: Random) -> None:
        path, data = self.path[key], bytearray(self.whole[key])
        other: Any = rng.choice(list(self.kept))
        if what == "flip":
            for _ in range(rng.choice((1, 1, 4))):
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        elif what == "cut":
            del data[rng.randrange(len(data)) :]
        elif what == "grow":
            data += rng.randbytes(rng.randrange(1, 100))
        elif what == "empty":
            data.clear()
        elif what in ("swap", "copy"):
            data = bytearray(self.whole[other])
        elif what == "garbage":
            data = bytearray(rng.randbytes(rng.randrange(300)))
        elif what == "numbers":  # lengths in a header
            at = rng.randrange(min(len(data), 96))
            data[at : at + 8] = rng.choice((bytes(8), b"\xff" * 8, b"\xff" * 7 + b"\x7f", rng.randbytes(8)))
        elif what == "zero":
            at = rng.randrange(len(data))
            data[at : at + 512] = bytes(len(data[at : at + 512]))
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        if what == "folder":
            path.mkdir()
        elif what == "pipe":
            os.mkfifo(path, 0o600)
        elif what == "link":
            path.symlink_to(rng.choice((self.path[other], Path("/dev/zero"), Path("nowhere"), path)))
        elif what != "remove":
            path.write_bytes(data)
            path.chmod(0o644 if what == "mode" else 0o600)
            if what == "sparse":
                os.truncate(path, rng.choice((1 << 20, 1 << 40)))


def target() -> Cache:
    return Cache()
