"""Devices and contexts: what the stated device is and says of itself (`device_queries`, `attributes`), contexts and their limits,
peers. A new device attribute is a line in `attributes`. May import `calls` and what is below.
"""
