"""What belongs to others too: memory and events of other processes (`ipc`), and external `semaphores`."""
