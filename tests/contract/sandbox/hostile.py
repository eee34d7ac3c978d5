"""
A module of a change that attacks whatever judges it, as soon as it is imported. It says what became of each try, a line
of JSON each: a clause that begins with "stopped", or with what it has got.

`targets.json` beside it names what is to be attacked.
"""

import ctypes
import errno
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

AT = json.loads(Path(__file__).with_name("targets.json").read_text())
CONTROL = Path(sys.argv[2]) if sys.argv[1] == "run" else Path("/proc/self/fd/1").resolve().parent
LIBC = ctypes.CDLL(None, use_errno=True)
CHUNK = b"x" * (1 << 20)
PTRACE_ATTACH, CLONE_NEWUSER, MS_REMOUNT, MS_BIND = 16, 0x10000000, 32, 4096


def tell(name: str, attempt: Callable[[], object]) -> None:
    try:
        said = str(attempt())
    except OSError as error:
        said = f"stopped: {errno.errorcode.get(error.errno or 0, 'EOF')}"
    print(json.dumps({"attack": name, "said": said}), flush=True)


def daemon() -> None:
    """Out of the session, out of the group, and the parent gone."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(3600)", AT["marker"]])
        os._exit(0)


def rewrite(*paths: str) -> str:
    done = []
    for path in paths:
        try:
            with open(path, "a") as file:  # noqa: PTH123
                file.write("forged\n")
            done.append(path)
        except OSError:
            pass
    return " ".join(["wrote", *done]) if done else "stopped"


def replaced() -> None:
    fresh = CONTROL / "fresh.py"
    fresh.write_text("forged\n")
    fresh.rename(AT["fallback"])


def remounted() -> str:
    tree = os.path.dirname(AT["fallback"]).encode()  # noqa: PTH120
    done = [
        LIBC.mount(None, tree, None, MS_REMOUNT | MS_BIND, None),
        LIBC.mount(b"none", b"/", None, MS_REMOUNT | MS_BIND, None),
        LIBC.umount2(tree, 2),
        LIBC.mount(b"tmpfs", b"/mnt", b"tmpfs", 0, None),
        LIBC.unshare(CLONE_NEWUSER),
    ]
    return "stopped" if all(result < 0 for result in done) else f"got {done}"


def environments() -> str:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if AT["secret"].encode() in (folder / "environ").read_bytes():
                found.append(folder.name)
        except OSError:
            pass
    return f"read {found}" if found else "stopped"


def traced() -> str:
    others = [int(f.name) for f in Path("/proc").glob("[0-9]*") if int(f.name) != os.getpid()]
    got = [pid for pid in others if LIBC.ptrace(PTRACE_ATTACH, pid, None, None) == 0]
    memory = [pid for pid in others if opens(f"/proc/{pid}/mem")]
    return "stopped" if not got + memory else f"attached to {got}, opened {memory}"


def opens(path: str, how: int = os.O_RDWR) -> bool:
    try:
        os.close(os.open(path, how))
    except OSError:
        return False
    return True


def descriptors() -> str:
    """Whatever is open here or in the first process and is no plain file of this control directory."""
    found = []
    for link in (*Path("/proc/self/fd").iterdir(), *inherited("/proc/1/fd")):
        try:
            where = os.readlink(link)  # noqa: PTH115
            if where.startswith(("pipe", "socket")) and opens(str(link)):
                found.append(where)
        except OSError:
            pass
    return f"opened {found}" if found else "stopped"


def controls() -> str:
    """Of the whole machine, in the hands of whoever is root; nothing is written to them."""
    got = [path for path in ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger") if opens(path, os.O_WRONLY)]
    return f"opened {got}" if got else "stopped"


def inherited(folder: str) -> list[Path]:
    try:
        return list(Path(folder).iterdir())
    except OSError:
        return []


def linked() -> str:
    link = CONTROL / "out" / "through"
    link.symlink_to(AT["fallback"])
    return rewrite(str(link))


def connected(family: int, address: object) -> str:
    with socket.socket(family) as talk:
        talk.settimeout(2)
        talk.connect(address)
        return "connected"


def filled(folder: str) -> str:
    path = Path(folder, "filler")
    try:
        with path.open("wb", buffering=0) as file:
            for _ in range(AT["most_chunks"]):
                if file.write(CHUNK) < len(CHUNK):
                    return "stopped: short"
    finally:
        path.unlink()
    return f"wrote {AT['most_chunks']} MiB"


def bomb() -> str:
    children = []
    try:
        for _ in range(AT["most_processes"]):
            pid = os.fork()
            if pid == 0:
                time.sleep(3600)
                os._exit(0)
            children.append(pid)
    except OSError as error:
        return f"stopped: {errno.errorcode[error.errno]} after {len(children)}"
    finally:
        for pid in children:
            os.kill(pid, 9)
            os.waitpid(pid, 0)
    return f"started {len(children)}"


def main() -> None:
    tell(
        "fallback", lambda: rewrite(AT["fallback"], f"/proc/self/root{AT['fallback']}", f"/proc/1/root{AT['fallback']}")
    )
    tell("fallback replaced", replaced)
    tell("remount", remounted)
    tell("environment", environments)
    tell("command files", lambda: rewrite(AT["command_file"]))
    tell("other replies", lambda: rewrite(AT["other_replies"]))
    tell("descriptors", descriptors)
    tell("symlink", linked)
    tell("ptrace", traced)
    tell("other cache", lambda: rewrite(AT["other_cache"]))
    tell("other outputs", lambda: Path(AT["other_output"]).read_bytes())
    tell("sysctl", controls)
    tell("network", lambda: connected(socket.AF_INET, ("127.0.0.1", AT["port"])))
    tell("service", lambda: connected(socket.AF_UNIX, AT["service"]))
    tell("abstract service", lambda: connected(socket.AF_UNIX, "\0" + AT["marker"]))
    for name, folder in (("scratch", AT["scratch"]), ("shared memory", "/dev/shm"), ("control", str(CONTROL))):
        tell(f"disk: {name}", lambda folder=folder: filled(folder))
    tell("daemon", daemon)
    tell("processes", bomb)
    # What honest code does.
    tell("temporary file", lambda: Path(AT["scratch"], "honest").write_text("x"))
    tell("its own cache", lambda: Path(os.environ["TRITON_CACHE_DIR"]).mkdir() or "made")
    tell("a program", lambda: subprocess.run([sys.executable, "-c", "print(1)"], capture_output=True, text=True).stdout)
    tell("its user", os.geteuid)


main()
