"""
The worker as one zip file, so that nothing else of the gate can be imported under the user's interpreter.

The bytes are the same for the same sources: fixed dates, sorted names, no compression.
"""

import io
import os
import zipfile
from pathlib import Path

import kgate
from kgate.runner.shelf import unwritable

NAME = "worker.zip"
SHARED = ("__init__.py", "protocol.py", "wire.py")
MAIN = "from kgate.worker.entry import main\n\nmain()\n"
EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest date that a zip file can hold


def packed(folder: Path) -> Path:
    """
    `folder`/worker.zip, written anew only if its bytes would change: a running worker may still import from it.

    Raises HostError where it cannot be written.
    """
    target = folder.absolute() / NAME
    data = archive(Path(kgate.__file__).parent)
    try:
        if not target.is_file() or target.read_bytes() != data:
            folder.mkdir(parents=True, exist_ok=True)
            fresh = target.with_suffix(f".{os.getpid()}")
            fresh.write_bytes(data)
            fresh.replace(target)
    except OSError as error:
        raise unwritable(target, error) from error
    return target


def archive(package: Path) -> bytes:
    sources = [package / name for name in SHARED] + sorted((package / "worker").rglob("*.py"))
    entries = {f"kgate/{path.relative_to(package).as_posix()}": path.read_bytes() for path in sources}
    entries["__main__.py"] = MAIN.encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as bundle:
        for name in sorted(entries):
            entry = zipfile.ZipInfo(name, date_time=EPOCH)
            entry.external_attr = 0o644 << 16
            bundle.writestr(entry, entries[name])
    return buffer.getvalue()
