"""Finds mistakes that a launch survives: races, reads of what nobody wrote, overflows into a neighbour, barriers without all, use
of what is under way.

    tools       the names of the tools, and the collector of what they find
    findings    a finding as a value
    telling, places, texts    from the records of a launch to findings: where it is, how each kind is told
    state_layout    where generated code keeps what it knows: of a launch, of a CTA, of a warp
    probe       what lowerings call for each access and each barrier; it writes calls, and nothing where no tool is on
    runtime     the functions that are called, in LLVM text
    races, in_flight, initialised, bounds, barriers    what a tool does, for each of these
    batch, warps, runs    accesses of all lanes of a warp, told at once behind their block
    granules    what racecheck keeps of memory: of words, and in short of 128 bytes
    clocks, order    what threads know of each other, and what orders them, for races
    operands    what tensor cores and tensor copies read and write
    reports     how generated code notes what it finds
    provenance  which variable or parameter an address was made from
    launch      the memory of a sanitized launch
    history     earlier launches, for races between them; shapes: who a thread was
    host_work   copies and fills of the host, which are launches without a kernel to racecheck
    shadow      memory beside an arena: who touched a word last, was a byte written

A kernel is compiled once more for the tools that are on; without them it has no trace of this room.
"""
