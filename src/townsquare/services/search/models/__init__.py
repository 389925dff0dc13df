"""What goes into movie search and comes out of it."""
