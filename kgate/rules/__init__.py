"""One file per law, and the table of them."""
