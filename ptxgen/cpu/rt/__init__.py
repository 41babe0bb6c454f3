"""The run-time library of generated code, itself generated: scheduler, barriers, checked memory, and number formats."""
