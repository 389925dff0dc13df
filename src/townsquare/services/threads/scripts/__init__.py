"""The typed signatures of the Lua of this service."""
