"""
Whose review counts for what a change asks less of.

A review is of a commit. It counts for an amendment for as long as that amendment is the same and so is all that it is
about: the files of its kernel, the kernel's entry, what the manifest says of all kernels, stored baselines and debt. So
it goes with a change into a merge queue, whose commits nobody has reviewed, and a push that touches the kernel ends it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from kgate import wire
from kgate.errors import UsageError
from kgate.load import debt, entries, past, tree
from kgate.load.materials import Materials
from kgate.load.past import COMMIT, Blobs
from kgate.model import Amendment, Manifest
from kgate.wire import ProtocolError

SIZE_LIMIT_BYTES = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Voice:
    """
    An approval that stands, of somebody who may write to the repository. `by` and `teams` as CODEOWNERS has them
    (`@ada`, `@acme/kernels`).
    """

    by: str
    commit: str
    teams: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Reviews:
    """Of the pull requests that a change is made of. `authors` have no say in what they have written."""

    authors: tuple[str, ...] = ()
    voices: tuple[Voice, ...] = ()
    remarks: tuple[str, ...] = ()


def read(path: Path) -> Reviews:
    """What `kgate.github.reviews` wrote. Raises UsageError."""
    try:
        data = path.read_bytes()
        if len(data) > SIZE_LIMIT_BYTES:
            raise UsageError(f"--reviews {path}: more than {SIZE_LIMIT_BYTES >> 20} MiB; write it anew")
        return wire.build(Reviews, wire.parsed(data), "reviews")
    except OSError as error:
        raise UsageError(f"--reviews {path}: cannot be read ({error.strerror})") from error
    except ProtocolError as error:
        raise UsageError(f"--reviews {path}: no reviews as kgate writes them ({error}); write it anew") from error


def may(voice: Voice, amendment: Amendment, authors: Sequence[str]) -> bool:
    """
    An owner, of those that base names, who has not written the change. Where the only owners have, or where there are
    none, any second person who may write to the repository.
    """
    wrote = {author.lower() for author in authors}
    if voice.by.lower() in wrote:
        return False
    owners = {owner.lower() for owner in amendment.owners}
    return bool(owners & {voice.by.lower(), *map(str.lower, voice.teams)}) or not owners - wrote


@dataclass(frozen=True, kw_only=True)
class Contents:
    """Of the commits of one repository, what an amendment is about. `manifest` is head's, `path` from the git root."""

    root: Path
    path: str
    manifest: Manifest
    head: str
    materials: Materials = field(repr=False)

    def approved(self, amendments: Sequence[Amendment], reviews: Reviews) -> Mapping[str, tuple[str, ...]]:
        """By name of an amendment, whose review lets it through."""
        past_of = cache(self.at)
        found: dict[str, tuple[str, ...]] = {}
        for amendment in amendments:
            mine = self.content(past_of(self.head), amendment)
            names = [
                voice.by
                for voice in reviews.voices
                if mine and may(voice, amendment, reviews.authors)
                if self.content(past_of(voice.commit), amendment) == mine
            ]
            if names:
                found[amendment.name] = tuple(dict.fromkeys(names))
        return found

    def at(self, commit: str) -> "tuple[Blobs, Manifest] | None":
        """None for a commit that is not in this clone, or whose manifest cannot be read."""
        if not COMMIT.fullmatch(commit) or tree.commit_of(self.root, commit) != commit:
            return None
        manifest = past.manifest_at(self.root, commit, self.path)
        return (Blobs.of(self.root, commit), manifest) if manifest is not None else None

    def content(self, past: "tuple[Blobs, Manifest] | None", amendment: Amendment) -> str:
        """A digest, "" where nothing is known of the commit."""
        if past is None:
            return ""
        blobs, manifest = past
        kernel = next((k for k in manifest.kernels if k.name == amendment.kernel), None)
        own = next((k for k in self.manifest.kernels if k.name == amendment.kernel), None)
        files = self.materials.static(own) if own is not None else frozenset[str]()
        return entries.hashed(
            {
                "amendment": [amendment.kind, amendment.name, amendment.before, amendment.after],
                "entry": entries.digest(kernel) if kernel is not None else "",
                "files": {path: blobs.at(path) for path in sorted(files)},
                "all kernels": entries.terms(manifest),
                "stored": {path: blob for path, blob in blobs.by_path.items() if self.stored(path, manifest)},
                "for all": {
                    "baselines": manifest.baselines,
                    "gpus": {name: str(gpu) for name, gpu in manifest.gpus.items()},
                    "waivers": {waiver.gpu: waiver.expires for waiver in manifest.waivers},
                    "accepted": [[*entry.identity, entry.bound, entry.until] for entry in manifest.accepted],
                    "ignored": {line.pattern: line.expires for line in manifest.ignored},
                },
            }
        )

    def stored(self, path: str, manifest: Manifest) -> bool:
        """Whether a file is a baseline, or the debt."""
        folder = Path(self.path).parent
        baselines = (folder / manifest.baselines).as_posix() if manifest.baselines else ""
        owed = debt.path_of(Path(self.path)).as_posix()
        return path == owed or (
            bool(baselines) and path.endswith(".json") and Path(path).parent.as_posix() == baselines
        )
