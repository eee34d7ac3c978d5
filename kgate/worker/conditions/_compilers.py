"""Where each DSL's compiler is entered, and nothing comes that is not to be compiled or looked up."""

import importlib
from typing import Any, NoReturn

from kgate.worker.faults import Fault

# By DSL, `module:path`. Seen with tilelang 0.1.15, triton 3.6 and 3.9, cuda-tile 1.7.0, nvidia-cutlass-dsl 4.8.1.
ENTRANCES = {
    "tilelang": "tilelang.jit.kernel:JITKernel._compile_and_create_adapter",
    "triton": "triton.backends.nvidia.compiler:CUDABackend.add_stages",
    "cutile": "cuda.tile._compile:compile_tile",
    "cutedsl": "cutlass.base_dsl.compile_backend:CompilerBackend.compile",
    "cuda": "torch.utils.cpp_extension:_run_ninja_build",
}
SAID = "the compiler ended with an error (brought about by kgate)"


def broken(dsl: str) -> None:
    """From now on the DSL's compiler raises. Raises Fault where this version of it is entered elsewhere."""
    module_name, _, path = ENTRANCES[dsl].partition(":")
    owner: Any = importlib.import_module(module_name)
    *holders, name = path.split(".")
    for holder in holders:
        owner = getattr(owner, holder)
    if not hasattr(owner, name):
        raise Fault("environment", "unavailable", f"{ENTRANCES[dsl]} is not there, so its compiler cannot be broken")
    setattr(owner, name, fail)


def fail(*args: Any, **keywords: Any) -> NoReturn:
    raise RuntimeError(SAID)
