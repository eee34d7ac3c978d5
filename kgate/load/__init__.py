"""Files and git to values: the manifest, baselines, CODEOWNERS, the work tree and the base commit's."""
