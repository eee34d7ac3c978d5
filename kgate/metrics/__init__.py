"""One file per number, each a fold over chunks of (value, expected, allowed error). No metric sees a policy."""
