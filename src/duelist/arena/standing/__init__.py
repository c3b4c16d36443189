"""What the votes of a study say, as its leaderboard and dashboard show it."""
