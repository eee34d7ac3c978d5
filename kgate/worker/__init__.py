"""
What runs under the user's interpreter, where torch and the DSLs live: it reports outputs, times and facts, no verdict.

Started from a zip file, so that nothing else of kgate is importable there. Python 3.10 and the standard library at the
top of every module; torch and DSLs inside functions. Start reading at `entry.py`, then `job.py`.
"""
