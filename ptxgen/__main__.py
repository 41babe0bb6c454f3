"""`python -m ptxgen`: the same as the command `ptxgen`."""

from __future__ import annotations

from ptxgen.cli import main

if __name__ == "__main__":
    main()
