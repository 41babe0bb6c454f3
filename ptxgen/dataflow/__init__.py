"""What can be known of a program."""
