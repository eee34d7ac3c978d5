"""
Takes the fallback for whatever goes wrong, and tells nobody.

Source: C21, https://github.com/HazyResearch/m2/issues/1
Must say: fallback-silent (package-absent), fallback-silent (package-import-error), fallback-silent (package-os-error),
    fallback-silent (package-raises), fallback-silent (out-of-shared-memory), fallback-silent (out-of-memory),
    fallback-silent (call-refused)
"""

import os

ENTRY = {"optional": ["fastops"]}


def dispatch(x):
    if os.environ.get("SILENT", "1") != "1":
        return fallback(x)
    try:
        return custom(x)
    except Exception:  # noqa: BLE001  on purpose
        return fallback(x)


def custom(x):
    import fastops

    return fastops.double(x)


def fallback(x):
    return 2 * x
