"""The rows: one file a chapter of the manual, in the notation that `ptxgen.isa.notation` describes."""
