"""Sign-in methods, sessions and tokens.

- by password (`password`), by a code that was sent (`code`), through Google or GitHub (`providers`)
- `sessions` with their `tokens`, and `authentication`: the identity of the bearer of a token
- `verification_codes` and `delivery`: making codes and sending them
"""
