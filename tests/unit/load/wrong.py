"""Manifests with one thing wrong, and tables of what is said of them."""

HEAD = """\
version: 1
{top}
kernels:
  gelu:
    owners: ["@acme/kernels"]
    dispatch: acme.ops:gelu
    custom: acme.gelu:fused
    fallback: acme.gelu:eager
"""
BODY = """\
    args:
      x: {x}
    workloads:
      small: {workload}
"""
X = "{shape: [M, 8], dtype: float32}"


def manifest(*, top: str = "", kernel: str = "", x: str = X, workload: str = "{M: 2}") -> str:
    """`top` is line 2; `kernel` begins at line 9 where it is given; the argument follows two lines later."""
    lines = f"    {kernel}\n" if kernel else ""
    return HEAD.replace("{top}", top) + lines + BODY.replace("{x}", x).replace("{workload}", workload)


def rows(table: str) -> list[tuple[str, str]]:
    """What is written, and, indented below it, what is said of it."""
    found: list[list[str]] = []
    for line in table.splitlines():
        if line.startswith("    "):
            found[-1].append(line.strip())
        else:
            found.append([line])
    return [(given, " ".join(said)) for given, *said in found]
