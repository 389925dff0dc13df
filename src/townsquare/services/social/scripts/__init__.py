"""The signatures of the Lua scripts. What a script runs on another home is declared before it."""
