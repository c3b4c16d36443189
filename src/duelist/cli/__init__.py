"""The command line: `duelist simulate`, `duelist analyze`, `duelist learners`, `duelist problems`."""
