"""
What a faster operator can do for the whole, at the most.

Source: G. M. Amdahl, "Validity of the single processor approach to achieving large scale computing capabilities",
AFIPS Spring Joint Computer Conference 1967: with a share p of the time made s times as fast, the whole is
1 / ((1 − p) + p / s) times as fast; with s beyond all bounds 1 / (1 − p).
"""

import math

SOURCE = "Amdahl 1967"


def gain(share: float, speed_up: float = math.inf) -> float:
    """How many times as fast the whole becomes, `share` of it being `speed_up` times as fast; inf where all is."""
    left = (1 - share) + share / speed_up
    return 1 / left if left > 0 else math.inf
