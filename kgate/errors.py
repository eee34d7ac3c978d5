"""
Whose fault it is, and the exit code that says so.

A kernel that fails is never an exception here: it is a `Failure` value (see `model`). These classes are for
what stops a run, and each message says where, what, and what to do.
"""

from enum import IntEnum


class ExitCode(IntEnum):
    """What the process answers; the numbers are the contract of product documentation and of every CI script."""

    GREEN = 0
    FAIL = 1
    NO_RUN = 2
    NO_VERDICT = 3
    DELIVERY = 4
    INTERRUPTED = 130


class KgateError(Exception):
    """A run that cannot go on, with a sentence for the person who can mend it."""

    exit_code = ExitCode.NO_VERDICT


class UsageError(KgateError):
    """The command line is wrong, or nothing that it names exists."""

    exit_code = ExitCode.NO_RUN


class ManifestError(UsageError):
    """The manifest's form is wrong: file, line, path, offending value, nearest valid name."""


class BaselineError(UsageError):
    """A stored baseline is corrupt, or written by a newer kgate."""


class HostError(KgateError):
    """This machine cannot do what was asked (no GPU, no git, a folder that cannot be written)."""


class WorkerError(KgateError):
    """The worker's interpreter or its protocol broke before any kernel ran."""


class DeliveryError(KgateError):
    """The report stands; posting it did not work."""

    exit_code = ExitCode.DELIVERY
