"""Miscellaneous instructions (manual 9.7.19)."""

ROWS = """
section 9.7.19.1 ; trap ; acts
brkpt                          ; control
section 9.7.19.2 ; acts
nanosleep.u32                  t<0..1000000> ; since 6.3 sm_70
section 9.7.19.3 ; acts
pmevent                        #a<0..15>!
pmevent.mask                   #a<0..65535>! ; since 3.0 sm_20
section 9.7.19.4 ; trap ; ends ; acts
trap                           ; control
section 9.7.19.5
setmaxnreg.action.sync.aligned.u32  #n<24..256/8>! ; action = inc dec ; since 8.0 sm_90a or 8.6 sm_100a or 8.8 sm_100f or 8.8 sm_103a or 8.7 sm_120a or 8.8 sm_120f or 9.0 sm_110a or 9.0 sm_110f ; converged ; protocol
trace.mark                     #n<0..4095>!  ; since 9.5 sm_107f
"""
