"""What shows a kernel at work: lines that threads print, and conditions that they check."""
