"""What other processes share: memory and events (`ipc`), and external `semaphores`. May import `memory` and what is below."""
