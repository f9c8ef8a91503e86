"""What memory means, without a file in sight."""
