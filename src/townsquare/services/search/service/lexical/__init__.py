"""Films by their names and facts, in SQL: SQLite in the data folder, or a Postgres by URL.

Every lookup goes by an index and stops after a few dozen rows: its cost does not grow with the catalogue.
"""
