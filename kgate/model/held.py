"""What a change is held to, beside its own manifest: the code that is there, what base asked for, old faults."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from kgate.model.declared import Accepted, Ignored, Place

# Of a value that judges. `renamed` and what comes before it apply at once, the others when an owner has approved.
Kind = Literal["tightened", "added", "renamed", "loosened", "removed", "moved"]
KINDS: tuple[Kind, ...] = get_args(Kind)
WANTS_APPROVAL: tuple[Kind, ...] = ("loosened", "removed", "moved")


@dataclass(frozen=True, kw_only=True)
class Found:
    """
    A kernel that the code holds, seen by parsing. `name` is its top-level function or class, or the operator that is
    registered; `how` is what marks it ("triton.jit"). `listed`: an entry of the manifest reaches it. `digest` is of its
    definition as it is written, by which it is known again in another file.
    """

    name: str
    place: Place
    how: str
    listed: bool = False
    ignored: Ignored | None = None
    owners: tuple[str, ...] = ()  # whom CODEOWNERS asks for its file
    digest: str = ""

    @property
    def identity(self) -> str:
        return f"{self.place.path}:{self.name}"


@dataclass(frozen=True, kw_only=True)
class Inventory:
    """Of one tree. `gone`: by kernel, the function that its entry names and the code does not hold."""

    found: tuple[Found, ...] = ()
    gone: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Amendment:
    """
    One thing that head is held to otherwise than base was. `what`: "tolerance bfloat16", "owners", "entry". `kernel`
    as head calls it, "" for what holds for all; `owners` are those of base, who are to approve. `before` and `after`
    are for a reader.
    """

    kind: Kind
    what: str
    kernel: str
    workload: str = ""
    before: str = ""
    after: str = ""
    owners: tuple[str, ...] = ()
    place: Place | None = None

    @property
    def subject(self) -> str:
        """`gemm/small`, `gemm`, or `all kernels`."""
        return f"{self.kernel}/{self.workload}" if self.workload else self.kernel or "all kernels"

    @property
    def name(self) -> str:
        """What findings call it: `gemm/small (tolerance bfloat16)`."""
        return f"{self.subject} ({self.what})"

    @property
    def wants_approval(self) -> bool:
        return self.kind in WANTS_APPROVAL

    def approved(self, names: tuple[str, ...]) -> bool:
        """By one of `names`; where nobody owns what is changed, anybody may."""
        asked = {owner.lower() for owner in self.owners}
        return any(not asked or name.lower() in asked for name in names)


@dataclass(frozen=True, kw_only=True)
class Owed:
    """An old fault that is known, by its finding's identity; `owner` has to mend it until `expires`, as YYYY-MM-DD."""

    rule: str
    scope: str
    name: str
    owner: str
    expires: str
    place: Place

    @property
    def identity(self) -> tuple[str, str, str]:
        return (self.rule, self.scope, self.name)


@dataclass(frozen=True, kw_only=True)
class Terms:
    """
    `inventory` and `base_inventory`: None where code was not looked at. `debt`: what counts, which is head's, but for
    what base does not have. `unheld`: base has no manifest, so that the change is judged by its own. `approvals`: by an
    amendment's name, who has approved just that in a review; `approved_by` have approved all that is theirs.
    """

    inventory: Inventory | None = None
    base_inventory: Inventory | None = None
    amendments: tuple[Amendment, ...] = ()
    approved_by: tuple[str, ...] = ()
    debt: tuple[Owed, ...] = ()
    unheld: bool = False
    approvals: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    accepted: tuple[Accepted, ...] = ()  # that count: base's, and those that somebody has approved

    def approved(self, amendment: Amendment) -> bool:
        return bool(self.approvals.get(amendment.name)) or amendment.approved(self.approved_by)

    def approvers(self, amendment: Amendment) -> tuple[str, ...]:
        by_hand = self.approved_by if amendment.approved(self.approved_by) else ()
        return tuple(dict.fromkeys((*self.approvals.get(amendment.name, ()), *by_hand)))


@dataclass(frozen=True, kw_only=True)
class Ownership:
    """
    Who answers for a kernel. `files` -> the CODEOWNERS rule that matches, as (place, pattern, owners); None for none.
    `problem` is set where CODEOWNERS itself cannot be read. `without_effect`: its lines, as (place, sentence), that
    match no file or that GitHub skips, and that name an owner of this kernel. `access`: whether an owner can write to
    the repository; who is not in it was not checked.
    """

    owners: tuple[str, ...]
    files: Mapping[str, tuple[Place, str, tuple[str, ...]] | None] = field(default_factory=dict)
    codeowners: str = ""  # its path, "" if there is none
    problem: str = ""
    without_effect: tuple[tuple[Place, str], ...] = ()
    access: Mapping[str, bool] = field(default_factory=dict)

    @property
    def asked(self) -> tuple[str, ...]:
        """Whom CODEOWNERS names for the kernel's files, each once."""
        return tuple(dict.fromkeys(owner for rule in self.files.values() if rule for owner in rule[2]))
