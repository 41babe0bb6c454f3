"""C++ with NVRTC: builds use_nvrtc.cpp against the headers of NVIDIA's packages and the driver in the loader's path; runs it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path


def main() -> None:
    toolkit = next(path for path in (Path(each, "nvidia", "cu13") for each in sys.path) if path.is_dir())
    driver = os.environ["LD_LIBRARY_PATH"].split(os.pathsep)[0]
    source = Path(__file__).with_suffix(".cpp")
    found = os.environ | {"LD_LIBRARY_PATH": f"{driver}{os.pathsep}{toolkit / 'lib'}"}
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder, "program"))
        libraries = [f"-L{driver}", "-lcuda", "-l:libnvrtc.so.13"]
        subprocess.run(["c++", source, f"-I{toolkit / 'include'}", "-o", program, *libraries], check=True)
        sys.exit(subprocess.run([program], env=found, check=False).returncode)


main()
