"""What benchmarks/gallery.py is made of: operators with their cases and schedules, inputs, timing and the table."""
