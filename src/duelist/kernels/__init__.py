"""How algorithms are compiled and played: the compiler, chance, projection, and the loop over rounds."""
