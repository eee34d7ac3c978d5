"""What tells sizes that fail from sizes that pass: tiles and what they leave over."""

from collections.abc import Sequence

MODULI = (128, 64, 32, 16, 8, 4)


def told_apart(name: str, bad: Sequence[int], good: Sequence[int]) -> str:
    """`every K tried that is no multiple of 16, all with K mod 16 = 8`; "" where no residue tells them apart."""
    for modulus in MODULI:
        residues, others = ({n % modulus for n in sizes} for sizes in (bad, good))
        if len(set(bad)) > 1 and len(residues) == 1 and 0 not in residues and not residues & others:
            odd = "" if others != {0} else f"{none_of(name, modulus)}, all with "
            return f"{odd}{name} mod {modulus} = {residues.pop()}"
    whole = (m for m in MODULI if bad and good and all(n % m for n in bad) and not any(n % m for n in good))
    return next((none_of(name, modulus) for modulus in whole), "")


def none_of(name: str, modulus: int) -> str:
    return f"every {name} tried that is no multiple of {modulus}"


def beyond(name: str, bad: Sequence[int], good: Sequence[int]) -> str:
    """`every N from 1025 on` where each size that fails is larger than each that passes."""
    return f"every {name} tried from {min(bad)} on" if bad and good and min(bad) > max(good) else ""
