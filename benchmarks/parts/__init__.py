"""What several benchmarks need: children, figures, a small web."""
