"""`townsquare site …` and `townsquare comments …`."""
