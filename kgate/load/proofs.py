"""
What finished runs have proved, a file each in `.kgate/proofs`: written by `kgate check`, read by `kgate plan`.

Not beside the baselines: nobody reviews a proof, each merge would need another commit for it, and a proof is worth
nothing where it cannot be made again. Who keeps the folder, and restores it from runs of the main branch, keeps the
proofs; who loses it measures once more.
"""

import dataclasses
import json
import os
from contextlib import suppress
from pathlib import Path

from kgate.load import last
from kgate.model import Proof
from kgate.wire import ProtocolError, build

FOLDER = "proofs"
FORMAT = 1
KEPT = 50  # of a manifest, the newest: what stays unmeasured for longer is measured again
SIZE_LIMIT = 16 << 20  # bytes


def keep(state: Path, proof: Proof) -> None:
    """Beside those of other runs, of which the oldest go. A folder that cannot be written keeps none."""
    prefix = prefix_of(proof.manifest)
    path = state / FOLDER / f"{prefix}{proof.run}.json"
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(f".{os.getpid()}")
        fresh.write_text(json.dumps({"format": FORMAT, **dataclasses.asdict(proof)}, indent=1) + "\n")
        fresh.replace(path)
        mine = sorted(path.parent.glob(f"{prefix}*.json"), key=lambda file: file.stat().st_mtime_ns)
        for old in mine[:-KEPT]:
            old.unlink(missing_ok=True)


def prefix_of(manifest: str) -> str:
    return last.folder_name(Path("/") / manifest, Path("/")) + "-"


def read(folder: Path) -> tuple[tuple[Proof, ...], tuple[str, ...]]:
    """All proofs below a folder, newest first, and a sentence on each file that is none."""
    found, refused = list[Proof](), list[str]()
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        try:
            found.append(parsed(path))
        except (OSError, ValueError, ProtocolError) as error:
            refused.append(f"{path.name} is no proof that this kgate can read ({str(error)[:120]}); delete it")
    return tuple(sorted(found, key=lambda proof: (proof.started, proof.run), reverse=True)), tuple(refused)


def parsed(path: Path) -> Proof:
    if path.stat().st_size > SIZE_LIMIT:
        raise ValueError(f"more than {SIZE_LIMIT} bytes")
    body = json.loads(path.read_bytes())
    if not isinstance(body, dict) or body.pop("format", None) != FORMAT:
        raise ValueError(f"not of format {FORMAT}")
    return build(Proof, body, "proof")
