"""What an arena compares: read from files, and shown safely."""
