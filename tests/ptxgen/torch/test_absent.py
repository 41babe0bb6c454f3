"""Without PyTorch: the room is there, and what needs it says so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

PROGRAM = """
import sys
sys.modules["torch"] = None  # as where it is not installed
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name == "torch" else find(name, package)
import ptxgen as px
print(px.torch.__name__)
try:
    px.torch.custom_op
except ModuleNotFoundError as error:
    print(error)
"""


def test_what_is_missing_is_named():
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, check=True)
    name, message = done.stdout.splitlines()
    assert name == "ptxgen.torch"
    assert 'pip install "ptxgen[torch]"' in message


def test_pytorch_is_not_imported_before_it_is_used():
    program = "import sys, ptxgen as px; px.kernel, px.ops; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
