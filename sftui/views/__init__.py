"""What screens and their --json twins print: a snapshot in, one view object out; pure."""
