"""Films by what their texts mean: in the memory of the process, or on a Qdrant server."""
