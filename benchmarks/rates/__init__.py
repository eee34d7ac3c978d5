"""How often latency rules err: noise as data, times drawn from it or recorded, kgate's rule and its peers'."""
