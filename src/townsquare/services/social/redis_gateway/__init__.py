"""Redis commands from outside: a short list of what is allowed, and for the rest the name of what to use.

Nothing is sent before every command of a request has been found right.
"""
