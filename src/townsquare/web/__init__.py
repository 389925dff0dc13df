"""The HTTP application: what services declare, served."""
