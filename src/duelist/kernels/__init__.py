"""Compiled code: the compiler, random numbers, projection, and the loop over rounds."""
