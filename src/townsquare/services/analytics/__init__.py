"""What people do with products and pages: counted once, as it arrives, and reported from the counts."""
