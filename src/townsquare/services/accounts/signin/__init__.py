"""Sign-in methods, sessions and tokens.

- by password (`password`), by a code that was sent (`code`), through Google or GitHub (`providers`)
- `sessions` with their `tokens`, and `authentication`: the identity of the bearer of a token
- `verification_codes`, `delivery` and `messages`: making codes and sending them
- `address_ownership`: the account that gets an address after its owner has verified it
"""
