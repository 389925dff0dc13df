"""One identity for all services: the user as one JSON document, and everything that leads to it."""
