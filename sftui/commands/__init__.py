"""What `sftui COMMAND` does without a terminal app: one module a command, each with `run(options) -> exit code`."""
