"""Our code timed beside its peers: `python -m benchmarks [module ...]`."""
