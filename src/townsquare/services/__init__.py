"""The five services and what they share."""
