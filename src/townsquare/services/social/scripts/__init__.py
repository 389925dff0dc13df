"""The signatures of the Lua scripts."""
