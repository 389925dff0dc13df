"""What words of a query say, in tables: English first, then French, Spanish and Japanese."""
