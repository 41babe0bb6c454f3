"""The run-time library of generated code, itself generated: scheduler, barriers, copies under way, checked memory,
and number formats."""
