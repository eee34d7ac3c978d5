"""
Walls around a process: namespaces of its own, and the cell inside them. Standard library only, and of kgate nothing:

    python -I -S confinement.py hidden=PATH writable=PATH … -- PROGRAM ARGUMENT …

is run by path, with the gate's interpreter, and so comes before anything that the user's interpreter loads. A zygote
imports it, for its children: a fork cannot be put behind a program, which is why none (bubblewrap, unshare) is used.

    front     outside: waits, and ends as the program ended; ends the cell when the gate goes away
      init    process 1 inside: reaps; with its end the system ends every process of the cell, of whatever session
        program

What may be missing on a host is a gap, told by a front that is given no program; all else raises OSError. Nothing is
imported here that takes long, such as pathlib, since every launch waits for it.

Over 300 lines, since it is run by path and can import nothing beside it.
"""

import ctypes
import fcntl
import os
import resource
import select
import struct
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

SIGKILL, SIG_DFL = 9, 0
LIFELINE = "KGATE_LIFELINE"
SHM = "/dev/shm"
# linux/sched.h, linux/mount.h, linux/prctl.h, linux/capability.h, linux/sockios.h
NEW_NS, NEW_IPC, NEW_USER, NEW_PID, NEW_NET = 0x20000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
RDONLY, NOSUID, NODEV, NOEXEC, BIND, REC, PRIVATE = 1, 2, 4, 8, 0x1000, 0x4000, 0x40000
DETACH, AT_FDCWD, AT_RECURSIVE, OPEN_TREE_CLONE = 2, -100, 0x8000, 1
OPEN_TREE, MOUNT_SETATTR = 428, 442  # numbers of system calls, the same on every architecture
PDEATHSIG, CAPBSET_DROP, NO_NEW_PRIVS, CAP_AMBIENT, AMBIENT_RAISE = 1, 24, 38, 47, 2
CAP_VERSION, CAP_SYS_ADMIN, CAPS = 0x20080522, 21, 64
SIOCSIFFLAGS, IFF_UP, AF_INET, SOCK_DGRAM = 0x8914, 1, 2, 2
OWN_COUNT = (5, 14)  # Linux that counts RLIMIT_NPROC per user namespace, and not over all that the user runs
OWN_PID_MAX, LEAST_PID_MAX = (6, 14), 301  # Linux that has kernel.pid_max per PID namespace, and the least it takes
LIBC = ctypes.CDLL(None, use_errno=True)
Walls = Mapping[str, Sequence[str]]  # what protocol.Walls has, as words


def main(words: list[str]) -> "NoReturn":
    split = words.index("--") if "--" in words else len(words)
    front(walls_of(words[:split]), words[split + 1 :])


def walls_of(words: Iterable[str]) -> dict[str, list[str]]:
    walls: dict[str, list[str]] = {}
    for word in words:
        name, _, value = word.partition("=")
        walls.setdefault(name, []).append(value)
    return walls


def front(walls: Walls, program: list[str]) -> "NoReturn":
    """Without a program, what this host cannot do is printed, a clause a line."""
    where, lifeline = os.getcwd(), os.environ.pop(LIFELINE, "")
    gaps: list[str] = []
    apart(NEW_USER | NEW_NS | NEW_PID)
    tried(gaps, "the network can be reached", apart, NEW_NET)
    tried([], "", loopback)
    tried(gaps, "shared memory of other processes can be reached", apart, NEW_IPC)
    proc = system_call(OPEN_TREE, AT_FDCWD, b"/proc", OPEN_TREE_CLONE | AT_RECURSIVE | os.O_CLOEXEC)
    build(walls, gaps, layer=passing)

    def begin() -> None:
        os.chdir(where)  # by its path, which leads elsewhere now
        bounded(walls, gaps)
        if "forks" in walls:  # what is built so far, forks cannot take down: it is locked in a namespace below
            mapped(NEW_USER | NEW_NS, proc)
        no_more_namespaces(proc)
        stripped(keep={CAP_SYS_ADMIN} if "forks" in walls else set())
        if not program:
            print(*gaps, sep="\n", end="\n" if gaps else "", flush=True)
            os._exit(0)
        os.execvp(program[0], program)

    ended_as(supervised(begin, int(lifeline or -1), before=lambda: few_numbers(walls, proc, gaps)))


def launch(walls: Walls, run: Callable[[], None]) -> "NoReturn":
    """
    In a zygote's child, which is within a front's walls: narrower ones, and a cell of its own. Folders whose changes
    pass are the zygote's, for all its children, since a layer cannot be put upon what is locked.
    """
    where = os.getcwd()
    apart(NEW_NS | NEW_PID)
    build(walls, [], layer=lambda path, held, upper: attributes(path, 0, 0, RDONLY))

    def begin() -> None:
        os.chdir(where)  # by its path, which leads elsewhere now
        stripped(keep=set())
        run()

    ended_as(supervised(begin, -1))


def tried(gaps: list[str], otherwise: str, step: Callable[..., object], *arguments: object) -> None:
    try:
        step(*arguments)
    except OSError as error:
        gaps.append(f"{otherwise} ({error.strerror})")


# --- namespaces


def apart(kinds: int) -> None:
    if kinds & NEW_USER:
        mapped(kinds, os.open("/proc", os.O_PATH | os.O_DIRECTORY))
    else:
        checked(LIBC.unshare(kinds), "unshare")


def mapped(kinds: int, proc: int) -> None:
    """This user stays who it is, and all others are nobody's; `proc` is a /proc that can be written to."""
    user, group = os.geteuid(), os.getegid()
    checked(LIBC.unshare(kinds), "unshare")
    written(proc, "self/setgroups", "deny")
    written(proc, "self/uid_map", f"{user} {user} 1")
    written(proc, "self/gid_map", f"{group} {group} 1")


def no_more_namespaces(proc: int) -> None:
    """In one of its own the program would have every capability, and much of the system to attack with it."""
    written(proc, "sys/user/max_user_namespaces", "0")


def few_numbers(walls: Walls, proc: int, gaps: list[str]) -> None:
    """Before Linux 6.14 the number would be the whole machine's."""
    if linux() >= OWN_PID_MAX:
        most = max(int(walls["processes"][0]), LEAST_PID_MAX)
        tried(gaps, "processes are counted five times a second only", written, proc, "sys/kernel/pid_max", str(most))
    elif linux() < OWN_COUNT or os.geteuid() == 0:
        gaps.append("processes are counted five times a second only (root, or an old Linux)")


def linux() -> tuple[int, ...]:
    return tuple(int("".join(filter(str.isdigit, part)) or 0) for part in os.uname().release.split(".")[:2])


def written(proc: int, name: str, text: str) -> None:
    descriptor = os.open(name, os.O_WRONLY, dir_fd=proc)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def loopback() -> None:
    """Of a network namespace it is all there is, and down at first; some programs talk to themselves by it."""
    descriptor = checked(LIBC.socket(AF_INET, SOCK_DGRAM, 0), "socket")
    try:
        fcntl.ioctl(descriptor, SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", IFF_UP))
    finally:
        os.close(descriptor)


# --- mounts


def build(walls: Walls, gaps: list[str], *, layer: Callable[[str, int, str], None]) -> None:
    """
    Everything read-only; folders that are hidden, and in them what is shown or may be written; folders whose changes
    pass, by a layer each. What is bound later is held first, as a descriptor: afterwards its path leads elsewhere.
    """
    order = {"passing": 0, "hidden": 1, "shown": 2, "writable": 3}
    places = sorted((path, order[kind], kind) for kind in order for path in walls.get(kind, ()))
    held = {path: os.open(path, os.O_PATH) for path, _, kind in places if kind != "hidden"}
    mount("none", "/", "", REC | PRIVATE)
    attributes("/", AT_RECURSIVE, RDONLY, 0)
    for path in walls.get("masked", ()):
        tried(gaps, f"{path} can be reached", mount, "/dev/null", path, "", BIND)
    upper = tmpfs(walls) if walls.get("passing") else ""
    for path, _, kind in places:
        if kind == "passing":
            tried(gaps, f"{path} cannot be written", layer, path, held[path], upper)
        elif kind == "hidden":
            mount("tmpfs", path, "tmpfs", NOSUID | NODEV)
        else:
            bound(path, held[path], writable=kind == "writable")
    for path in walls.get("hidden", ()):
        if path not in walls.get("writable", ()):
            attributes(path, 0, RDONLY, 0)
    if upper:
        checked(LIBC.umount2(os.fsencode(SHM), DETACH), "umount2")
    tmpfs(walls)
    for descriptor in held.values():
        os.close(descriptor)


def tmpfs(walls: Walls) -> str:
    mount("tmpfs", SHM, "tmpfs", NOSUID | NODEV, f"mode=1777,size={walls['scratch_bytes'][0]}")
    return SHM


def passing(path: str, held: int, upper: str) -> None:
    """What is written below `path` is seen by this cell alone and goes with it."""
    own = f"{upper}/{held}"
    os.makedirs(f"{own}/upper")
    os.mkdir(f"{own}/work")
    os.chmod(f"{own}/upper", os.stat(path).st_mode & 0o7777)
    layers = f"lowerdir=/proc/self/fd/{held},upperdir={own}/upper,workdir={own}/work,userxattr"
    mount("overlay", path, "overlay", NOSUID | NODEV, layers)


def bound(path: str, held: int, *, writable: bool) -> None:
    source = f"/proc/self/fd/{held}"
    if not os.path.exists(path):
        os.makedirs(path if os.path.isdir(source) else os.path.dirname(path), exist_ok=True)
        if not os.path.isdir(source):
            os.mknod(path)
    mount(source, path, "", BIND | REC)
    attributes(path, 0, 0 if writable else RDONLY, RDONLY if writable else 0)


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    done = LIBC.mount(*map(os.fsencode, (source, target, kind)), ctypes.c_ulong(flags), os.fsencode(data))
    checked(done, f"mount {target}")


def attributes(path: str, how: int, given: int, taken: int) -> None:
    wanted = struct.pack("QQQQ", given, taken, 0, 0)
    system_call(MOUNT_SETATTR, AT_FDCWD, os.fsencode(path), how, wanted, len(wanted))


# --- processes


def supervised(begin: Callable[[], None], lifeline: int, before: Callable[[], None] = lambda: None) -> int:
    """
    The wait status of a program that `begin` turns into, in a cell of the PID namespace that this process has made.
    `lifeline` ends when the gate does; -1: the parent's end is ours as well.
    """
    told, tell = os.pipe()
    init = os.fork()
    if init == 0:
        os.close(told)
        if lifeline >= 0:
            os.close(lifeline)  # whoever has it could hold its other end open
        within(begin, tell, before)
    os.close(tell)
    ready, _, _ = select.select([told, *([lifeline] if lifeline >= 0 else [])], [], [])
    said = os.read(told, 4) if told in ready else b""
    if not said:
        os.kill(init, SIGKILL)
    _, status = os.waitpid(init, 0)
    return int.from_bytes(said, "little") if said else SIGKILL if os.WIFSIGNALED(status) else status


def within(begin: Callable[[], None], tell: int, before: Callable[[], None]) -> "NoReturn":
    """Process 1: it keeps its capabilities, so that the program, which has none, can neither read nor stop it."""
    status = 1
    try:
        checked(LIBC.prctl(PDEATHSIG, SIGKILL, 0, 0, 0), "prctl")
        before()
        mount("proc", "/proc", "proc", RDONLY | NOSUID | NODEV | NOEXEC)
        program = os.fork()
        if program == 0:
            os.close(tell)
            begin()
        while (ended := os.waitpid(-1, 0))[0] != program:
            pass
        os.write(tell, ended[1].to_bytes(4, "little"))
        status = 0
    except OSError as error:
        print(f"kgate: sandbox: {error}", file=sys.stderr, flush=True)
    except BaseException:  # noqa: BLE001  the program's own, where it is no other program
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(status)


def ended_as(status: int) -> "NoReturn":
    """End as a process with this wait status has ended."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != SIGKILL:
            LIBC.signal(number, SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))


def bounded(walls: Walls, gaps: list[str]) -> None:
    wanted = {resource.RLIMIT_CORE: 0, resource.RLIMIT_FSIZE: int(walls["file_bytes"][0])}
    if linux() >= OWN_COUNT:
        wanted[resource.RLIMIT_NPROC] = int(walls["processes"][0])
    for kind, most in wanted.items():
        hard = resource.getrlimit(kind)[1]
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (least, least))
    for path in walls.get("needed", ()):
        if not os.access(path, os.R_OK):
            raise PermissionError(0, "cannot be read without root's privileges", path)


def stripped(keep: set[int]) -> None:
    """Of all capabilities for good, but for those that a program that this process turns into is to keep."""
    for number in set(range(CAPS)) - keep:
        LIBC.prctl(CAPBSET_DROP, number, 0, 0, 0)  # fails for numbers that this Linux does not know
    low = sum(1 << number for number in keep)
    header, sets = struct.pack("Ii", CAP_VERSION, 0), struct.pack("6I", low, low, low, 0, 0, 0)
    checked(LIBC.capset(header, sets), "capset")
    for number in keep:
        checked(LIBC.prctl(CAP_AMBIENT, AMBIENT_RAISE, number, 0, 0), "prctl")
    checked(LIBC.prctl(NO_NEW_PRIVS, 1, 0, 0, 0), "prctl")


def system_call(number: int, *arguments: object) -> int:
    whole = (ctypes.c_long(each) if isinstance(each, int) else each for each in arguments)
    return checked(LIBC.syscall(ctypes.c_long(number), *whole), f"system call {number}")


def checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except OSError as failure:
        sys.exit(f"kgate: sandbox: {failure}")
