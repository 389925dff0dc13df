"""Side-by-side measurements. A number alone says little: every result is a ratio within one run."""
