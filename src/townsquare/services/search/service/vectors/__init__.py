"""Films by what their texts mean: Qdrant in the process, or a Qdrant server by URL."""
