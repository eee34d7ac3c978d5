"""One file per comparison that is not elementwise. The table is empty until the first is written."""
