"""What record.py records: kernels, the same ones made slower, and the launches of both on disk."""
