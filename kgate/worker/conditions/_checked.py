"""For the type checker, which holds every condition to its contract here; nothing imports this."""

from kgate.worker.conditions import (
    Condition,
    call_refused,
    compiler_fails,
    compiler_missing,
    lower_gpu,
    no_gpu,
    out_of_memory,
    out_of_shared_memory,
    package_absent,
    package_import_error,
    package_os_error,
    package_raises,
    package_too_old,
    package_unused,
    switch_off_later,
    unknown_gpu,
)

CHECKED: tuple[Condition, ...] = (
    switch_off_later,
    package_absent,
    package_import_error,
    package_os_error,
    package_raises,
    package_unused,
    package_too_old,
    no_gpu,
    lower_gpu,
    unknown_gpu,
    compiler_missing,
    compiler_fails,
    out_of_shared_memory,
    out_of_memory,
    call_refused,
)
