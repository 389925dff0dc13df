"""Comment files of other systems and of our own, read in a child process with limited memory and time."""
