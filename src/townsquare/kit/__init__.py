"""What several services need and no service owns."""
