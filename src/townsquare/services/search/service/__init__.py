"""Movie search as one thing: what the library, HTTP and the command line call."""
