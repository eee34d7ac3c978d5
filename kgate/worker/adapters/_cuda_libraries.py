"""The user's shared libraries in this process, and the kernels in them."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from kgate.worker import cubin
from kgate.worker.adapters import Built, _fatbin
from kgate.worker.architectures import capability

MAPS = Path("/proc/self/maps")
EXTENSIONS_DIR = "TORCH_EXTENSIONS_DIR"
EXTRACT_S = 60.0
ANY_MAY_RUN = "all kernels of the library: which of them a call runs is not told"
SQUEEZED = "its machine code is compressed, which cuobjdump can read and is not on PATH"
NO_CODE = "it holds machine code for {there}, and none for {here}"

folders: set[Path] = set()  # of extensions that were built, or found up to date, by this process
took_ns: dict[Path, int] = {}


def built_here(folder: str, libraries: Mapping[Path, int]) -> None:
    folders.add(Path(folder).resolve())
    took_ns.update({path.resolve(): ns for path, ns in libraries.items()})


def kernels() -> list[Built]:
    return [one for library in loaded() for one in kernels_of(library, device_arch())]


def loaded() -> list[Path]:
    """
    Libraries below a folder that the user's code is imported from or built in, without those that pip installs: a
    virtual environment may lie in the user's own tree, and torch's libraries have gigabytes.
    """
    places = {Path(folder).resolve() for folder in sys.path if folder and Path(folder).is_dir()}
    places |= folders | ({Path(os.environ[EXTENSIONS_DIR]).resolve()} if EXTENSIONS_DIR in os.environ else set())
    installed = {Path(sys.prefix).resolve(), Path(sys.base_prefix).resolve()}
    own = [place for place in places if not below(place, installed)]
    words = (line.split(maxsplit=5) for line in MAPS.read_text().splitlines())
    mapped = dict.fromkeys(Path(parts[5]) for parts in words if len(parts) == 6 and ".so" in parts[5])
    return [path for path in mapped if path.is_file() and below(path, own) and not below(path, installed)]


def below(path: Path, folders: Iterable[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def device_arch() -> str:
    """ "" without a GPU."""
    import torch

    return "sm_{}{}".format(*torch.cuda.get_device_capability()) if torch.cuda.is_available() else ""


def kernels_of(library: Path, arch: str) -> list[Built]:
    """Of the code that a GPU of this architecture takes; of all code where none is named."""
    images, caveat = images_in(library)
    if not images:
        return [Built(kernel=library.name, arch=arch, note=caveat)] if caveat else []
    taken = fitting(images, arch)
    if not taken:
        there = ", ".join(sorted({image.arch for image in images}))
        return [Built(kernel=library.name, arch=arch, note=NO_CODE.format(there=there, here=arch))]
    note = f"{library.name}: {ANY_MAY_RUN}"
    return [one for image in taken for one in told(image, note=note, compile_ns=took_ns.get(library.resolve()))]


def images_in(library: Path) -> tuple[list[_fatbin.Image], str]:
    """Those with machine code, or why it cannot be read; neither for a library without any."""
    images = list(_fatbin.images(library.read_bytes()))
    if all(image.cubin for image in images):
        return images, ""
    tool = shutil.which("cuobjdump")
    if tool is None:
        return [], SQUEEZED
    with tempfile.TemporaryDirectory() as folder:
        command = [tool, "--extract-elf", "all", os.fspath(library.resolve())]
        subprocess.run(command, cwd=folder, capture_output=True, timeout=EXTRACT_S, check=True)
        # Named after the library, a number and the architecture: add.1.sm_90.cubin
        files = sorted(Path(folder).glob("*.cubin"))
        return [_fatbin.Image(arch=file.suffixes[-2][1:], cubin=file.read_bytes()) for file in files], ""


def fitting(images: Sequence[_fatbin.Image], arch: str) -> list[_fatbin.Image]:
    """Machine code runs on its own major architecture, from its own minor one on; the newest of it is taken."""
    if not arch:
        return list(images)
    major, minor = capability(arch)
    minors = [
        found[1] for found in map(capability, (i.arch for i in images)) if found[0] == major and found[1] <= minor
    ]
    return [image for image in images if minors and capability(image.arch) == (major, max(minors))]


def told(
    image: _fatbin.Image, *, note: str = "", compile_ns: int | None = None, source: str = "", options: str = ""
) -> list[Built]:
    return [
        Built(
            kernel=code.kernel,
            arch=image.arch,
            cubin=image.cubin,
            texts={"source": source} if source else {},
            config={"options": options} if options else {},
            compile_ns=compile_ns,
            note=note,
        )
        for code in cubin.read(image.cubin or b"")
    ]
