"""
The recorded kernels, and for each of them the ways of being some 5 % slower that are tried.

A way has candidates, since by how much it slows a kernel depends on the device: the first start measures all of them,
keeps the one nearest to what is wanted, and later starts take the same. Times in comments are an H200's.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kgate.protocol import Arg, CaseJob, Fill, TensorArg, ValueArg

WORK, PASS, SCHEDULE = WAYS = ("work", "pass", "schedule")
COMPILING_S = 300.0


@dataclass(frozen=True, kw_only=True)
class Kernel:
    """`slowed`: by way, the candidates by a name of their own."""

    name: str
    words: str
    job: CaseJob
    slowed: Mapping[str, Mapping[str, CaseJob]]

    def candidates(self) -> Iterator[tuple[str, str, CaseJob]]:
        """Way, candidate and its job, whose case's name tells all three."""
        for way, jobs in self.slowed.items():
            for name, job in jobs.items():
                yield way, name, replace(job, case=f"{self.name}|{way}|{name}")


def kernels(device: str) -> tuple[Kernel, ...]:
    return ON_GPU if device.startswith("cuda") else ON_CPU


def tensors(dtype: str, **shapes: Sequence[int]) -> dict[str, Arg]:
    fill = Fill(kind="uniform", a=-1.0, b=1.0)
    return {
        name: TensorArg(shape=tuple(shape), dtype=dtype, fill=fill, stream=number + 1)
        for number, (name, shape) in enumerate(shapes.items())
    }


def job(entry: str, args: Mapping[str, Arg], **values: float) -> CaseJob:
    dsl = next((d for d in ("tilelang", "triton") if d in entry), "torch")
    settled = {name: ValueArg(value=value) for name, value in values.items()}
    return CaseJob(
        case="", dsl=dsl, entry=entry, args={**args, **settled}, keywords=False, symbols={}, timeout_s=COMPILING_S
    )


def kernel(name: str, words: str, whole: CaseJob, slowed: Mapping[str, Mapping[str, CaseJob]]) -> Kernel:
    return Kernel(name=name, words=words, job=replace(whole, case=name), slowed=slowed)


def varied(whole: CaseJob, entry: str, *settings: Mapping[str, int]) -> dict[str, CaseJob]:
    """The same inputs, with `settings` behind them."""
    found = {}
    for setting in settings:
        args = {**whole.args, **{name: ValueArg(value=value) for name, value in setting.items()}}
        named = " ".join(f"{name}={value}" for name, value in setting.items())
        found[named] = replace(whole, entry=entry, args=args)
    return found


def larger(whole: CaseJob, axes: Mapping[str, int], sizes: Sequence[int]) -> dict[str, CaseJob]:
    """More work: `axes` of tensor arguments with another extent."""
    found = {}
    for size in sizes:
        args = dict(whole.args)
        for name, axis in axes.items():
            tensor = args[name]
            assert isinstance(tensor, TensorArg)
            shape = (*tensor.shape[:axis], size, *tensor.shape[axis + 1 :])
            args[name] = replace(tensor, shape=shape)
        found[f"{'/'.join(axes)}={size}"] = replace(whole, args=args)
    return found


def passes(whole: CaseJob, entry: str, *extras: int) -> dict[str, CaseJob]:
    return varied(whole, f"doses:{entry}_and_pass", *({"extra": extra} for extra in extras))


def shares(size: int, *percents: float) -> list[int]:
    """`size` and so many per cent more, in steps of 8."""
    return [round(size * (1 + percent / 100) / 8) * 8 for percent in percents]


def additions() -> Iterator[Kernel]:
    both = {"x": 0, "y": 0}
    small = job("gallery.vector_add.triton_:vector_add", tensors("float32", x=[1 << 18], y=[1 << 18]))
    blocks = [{"block": b, "warps": w} for b, w in ((2048, 4), (2048, 2), (1024, 1), (4096, 8), (4096, 4))]
    yield kernel(
        "add-2us",
        "Triton, 262144 float32",
        small,
        {
            WORK: larger(small, both, shares(1 << 18, 10, 16, 22, 30)),  # of 2.2 µs, two thirds do not depend on it
            SCHEDULE: varied(small, "doses:triton_vector_add_scheduled", *blocks),
        },
    )
    middle = job("gallery.vector_add.tilelang_:vector_add", tensors("float32", x=[1 << 20], y=[1 << 20]))
    threads = [{"threads": t, "bytes_per_thread": b} for t, b in ((64, 32), (128, 64), (256, 64), (256, 16))]
    yield kernel(
        "add-5us",
        "TileLang, 1048576 float32",
        middle,
        {
            WORK: larger(middle, both, shares(1 << 20, 6, 9, 12)),
            SCHEDULE: varied(middle, "doses:tilelang_vector_add_scheduled", *threads),
        },
    )
    large = job("gallery.vector_add.triton_:vector_add", tensors("float32", x=[1 << 24], y=[1 << 24]))
    blocks = [{"block": b, "warps": w} for b, w in ((512, 1), (256, 1), (8192, 4), (16384, 8))]
    yield kernel(
        "add-50us",
        "Triton, 16777216 float32",
        large,
        {
            WORK: larger(large, both, shares(1 << 24, 5.1, 5.7)),
            PASS: passes(large, "triton_vector_add", 1 << 18, 1 << 19, 3 << 18, 1 << 20),
            SCHEDULE: varied(large, "doses:triton_vector_add_scheduled", *blocks),
        },
    )


def softmaxes() -> Iterator[Kernel]:
    long = job("gallery.softmax.tilelang_:softmax", tensors("bfloat16", x=[65536, 2048]))  # 0.13 ms: single calls
    parts = [{"rows": r, "values_per_thread": v} for r, v in ((65536, 8), (65536, 32), (8192, 64), (16384, 64))]
    yield kernel(
        "softmax-tilelang",
        "65536 × 2048 bfloat16",
        long,
        {
            WORK: larger(long, {"x": 0}, shares(65536, 5.1, 5.7)),
            PASS: passes(long, "tilelang_softmax", 3 << 20, 4 << 20, 5 << 20, 6 << 20),
            SCHEDULE: varied(long, "doses:tilelang_softmax_part", *parts),
        },
    )
    short = job("gallery.softmax.triton_:softmax", tensors("bfloat16", x=[12288, 4096]))  # 50 µs
    parts = [{"rows": r, "warps": w} for r, w in ((12288, 4), (12288, 16), (2048, 2), (1024, 1))]
    yield kernel(
        "softmax-triton",
        "12288 × 4096 bfloat16",
        short,
        {
            WORK: larger(short, {"x": 0}, shares(12288, 5.1, 5.7)),
            PASS: passes(short, "triton_softmax", 1 << 19, 1 << 20, 3 << 19, 1 << 21),
            SCHEDULE: varied(short, "doses:triton_softmax_part", *parts),
        },
    )


def norms() -> Iterator[Kernel]:
    entry = "gallery.rms_norm.tilelang_:rms_norm"
    short = job(entry, tensors("bfloat16", x=[8192, 4096], weight=[4096]), eps=1e-6)  # 34 µs
    yield kernel(
        "rms-norm-tilelang",
        "8192 × 4096 bfloat16",
        short,
        {
            WORK: larger(short, {"x": 0}, shares(8192, 5.1, 5.9)),
            PASS: passes(short, "tilelang_rms_norm", 1 << 18, 1 << 19, 1 << 20),
        },
    )
    entry = "gallery.rms_norm.triton_:rms_norm"
    long = job(entry, tensors("bfloat16", x=[12288, 4096], weight=[4096]), eps=1e-6)  # 50 µs
    parts = [{"rows": r, "warps": w} for r, w in ((12288, 4), (12288, 16), (2048, 2), (1024, 1))]
    yield kernel(
        "rms-norm-triton",
        "12288 × 4096 bfloat16",
        long,
        {
            WORK: larger(long, {"x": 0}, shares(12288, 5.1, 5.7)),
            PASS: passes(long, "triton_rms_norm", 1 << 19, 1 << 20, 3 << 19, 1 << 21),
            SCHEDULE: varied(long, "doses:triton_rms_norm_part", *parts),
        },
    )


def products() -> Iterator[Kernel]:
    # Longer sums, not more rows: 128 tiles of 128 × 256 are one wave on 132 multiprocessors, a few more are two.
    sums = {"a": 1, "b": 0}
    short = job("gallery.gemm.tilelang_:gemm", tensors("bfloat16", a=[2048, 2048], b=[2048, 2048]))  # 25 µs
    plans = [{"tile_n": n, "tile_k": k, "stages": s} for n, k, s in ((256, 64, 3), (256, 32, 4), (256, 64, 2))]
    yield kernel(
        "gemm-tilelang",
        "2048³ bfloat16",
        short,
        {
            WORK: larger(short, sums, (2176, 2240)),
            PASS: passes(short, "tilelang_gemm", 1 << 12, 1 << 18, 1 << 19),
            SCHEDULE: varied(short, "doses:tilelang_gemm_scheduled", *plans),
        },
    )
    long = job("gallery.gemm.triton_:gemm", tensors("bfloat16", a=[4096, 4096], b=[4096, 4096]))  # 0.18 ms
    plans = [{"tile_n": n, "stages": s, "group": g} for n, s, g in ((256, 3, 1), (256, 2, 8), (128, 4, 8), (128, 3, 8))]
    yield kernel(
        "gemm-triton",
        "4096³ bfloat16",
        long,
        {
            WORK: larger(long, sums, (4288, 4352)),
            PASS: passes(long, "triton_gemm", 5 << 20, 6 << 20, 7 << 20, 8 << 20),
            SCHEDULE: varied(long, "doses:triton_gemm_scheduled", *plans),
        },
    )


def attentions() -> Iterator[Kernel]:
    whole = job(
        "doses:tilelang_attention",
        tensors("bfloat16", q=[1, 32, 2048, 128], k=[1, 32, 2304, 128], v=[1, 32, 2304, 128]),  # 0.14 ms
    )
    plans = [{"tile_n": n, "stages": s} for n, s in ((128, 2), (96, 1), (64, 1), (64, 2))]
    yield kernel(
        "attention-tilelang",
        "32 heads of 128, 2048 queries, 2304 keys, bfloat16",
        whole,
        {
            WORK: larger(whole, {"k": 2, "v": 2}, (2432,)),  # a nineteenth tile of keys
            PASS: passes(whole, "tilelang_attention", 5 << 20, 6 << 20, 7 << 20),
            SCHEDULE: varied(whole, "doses:tilelang_attention_scheduled", *plans),
        },
    )


def on_cpu() -> Iterator[Kernel]:
    """To try the recording where there is no GPU."""
    add = job("doses:torch_add", tensors("float32", x=[1 << 16], y=[1 << 16]))
    more = larger(add, {"x": 0, "y": 0}, shares(1 << 16, 5, 10, 20))
    yield kernel("add", "65536 float32", add, {WORK: more, PASS: passes(add, "torch_add", 1 << 8, 1 << 12)})
    softmax = job("doses:torch_softmax", tensors("float32", x=[64, 512]))
    yield kernel("softmax", "64 × 512 float32", softmax, {WORK: larger(softmax, {"x": 0}, (66, 68, 72))})


ON_GPU = (*additions(), *softmaxes(), *norms(), *products(), *attentions())
ON_CPU = tuple(on_cpu())
