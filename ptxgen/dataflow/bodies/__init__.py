"""Bodies: what one walk over a function finds, by the position of each instruction.

`walk.py` fills a `Body` (`body.py`) with the help of `names.py` and `scope.py` and of the matching; `listener.py` is what it
calls where something is not plainly legal. `kernel_layout.py`, `launch_bounds.py` and `special_registers.py` are small facts
of kernels; `places.py` says where an instruction comes from, by `.loc` too (`source_lines.py`). To note one thing more of each
instruction, add a field to `Body` and fill it in the walk, which is the verifier's inner loop: measure
tools/bench/emission.py. May import graph, matching, ir and isa.
"""
