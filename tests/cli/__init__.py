"""The command line, as a subprocess on recorded stores."""
