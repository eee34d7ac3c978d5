"""Repositories of others, in small: read by tests of `kgate init`, never run, so none of their tests is one of ours."""

collect_ignore_glob = ["flat/*", "registry/*", "operators/*"]
