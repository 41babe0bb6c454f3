"""Control flow (manual 9.7.12)."""

ROWS = """
section 9.7.12.3
bra{.uni}                      tgt:label              ; control
section 9.7.12.4
brx.idx{.uni}                  index:u32, tlist:label ; since 6.0 sm_30 ; control
section 9.7.12.5
call{.uni}                     f:call                 ; control
section 9.7.12.6
ret{.uni}                                             ; control
section 9.7.12.7
exit                                                  ; control
"""
