"""The HTTP application, derived from the declarations of the services."""
