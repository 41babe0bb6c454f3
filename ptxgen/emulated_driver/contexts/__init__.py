"""The machine and what is current in it: its `devices` and what they say of themselves (`attributes`), each `context`, and the
`peer` access between them. A new device attribute is a line in `attributes`, as an H200 answers it."""
