"""Comments that were written elsewhere: the files of other systems, read in bounded memory, and our own."""
