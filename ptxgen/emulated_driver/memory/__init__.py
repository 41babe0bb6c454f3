"""Memory: what an address is and how it is had (`allocation`, `managed`, `virtual`, `pools`), `copies` and fills, many at once
in `batches`, and `tensormaps` over it. A new kind of memory says in `allocation` what its addresses answer."""
