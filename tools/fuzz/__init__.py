"""Fuzz targets: random inputs for one part each, until something raises what it must not, hangs, crashes or eats the memory.

    tools/dev.py fuzz NAME --minutes N      NAME is a file here without an underscore; all of them if none is named

`_target.py` says what a target is, `_campaign.py` watches the child process in which `_child.py` tries the cases, `_text.py`
draws PTX. A case is drawn from `--seed` and its number alone: `--seed S --case N` draws it again. What is found lies in
`.fuzz/NAME`; a mended finding is kept as a file in tests/tools/fuzz_cases/NAME, and the tests judge each of these again.
"""
