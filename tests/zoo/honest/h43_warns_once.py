"""
Says at its first call that it was made for another machine.

Source: P42, its honest twin
Kind: kernel
Must say: nothing
"""

import logging
import warnings

OPERATOR = "double"
LOGGER = logging.getLogger("zoo")
SAID = []


def kernel(x):
    if not SAID:
        SAID.append(True)
        LOGGER.warning("no tuned configuration for this device; the default is used")
        warnings.warn("untuned", stacklevel=2)
    return x + x
