"""What only a CUDA device can show: kernel names, memory, events, children of a zygote, a device that is lost."""

import socket
import struct
import subprocess
import time
from dataclasses import replace

import pytest

from kgate.protocol import (
    BATCH,
    GRAPH,
    SINGLE,
    SPOILED,
    Arrange,
    Export,
    Failed,
    Fill,
    Fork,
    Identity,
    Job,
    Prepare,
    Quit,
    Ready,
    Release,
    TensorArg,
    TimeBlock,
    Times,
    decode,
    encode,
    seed_of_call,
)
from kgate.runner.doubts import LEAKS_SHARE

pytestmark = [pytest.mark.real, pytest.mark.gpu]

FIVES = struct.pack("<4f", *[5.0] * 4)
CALLS = 32


def square(n: int) -> TensorArg:
    return TensorArg(shape=(n, n), dtype="float32", fill=Fill(kind="uniform", a=-1, b=1), stream=n)


def test_a_case_tells_its_kernels_and_its_memory(bench, case_job, cuda):
    cases = (case_job("launched:add", device_kernels=("*add*",)), case_job("launched:add", case="not asked"))

    ended = bench.run(bench.written(Job(mode="outputs", arm="head", tree=str(bench.tree), device=cuda, cases=cases)))

    ((output, data),) = ended.outputs("launched:add")
    assert (data, output.device) == (FIVES, cuda)
    facts = ended.facts("launched:add")
    assert any("elementwise" in name for name in facts["device-kernels"])
    assert facts["peak-bytes"] > 0
    assert (facts["kernel-launches"], facts["workspace-bytes"]) == (1, 0)
    assert "device-kernels" not in ended.facts("not asked")
    assert "kernel-launches" not in ended.facts("not asked")


def test_memory_and_launches_are_of_one_call_and_the_same_wherever_its_case_stands(bench, case_job, cuda):
    roomy = [case_job("launched:roomy", case=name, device_kernels=("*",)) for name in ("first", "last")]
    cases = (roomy[0], case_job("launched:add"), roomy[1])

    ended = bench.run(bench.written(Job(mode="outputs", arm="head", tree=str(bench.tree), device=cuda, cases=cases)))

    first, last = (ended.facts(case.case) for case in roomy)
    assert first["kernel-launches"] == 3
    assert first["workspace-bytes"] >= 1 << 20
    assert first["peak-bytes"] >= first["workspace-bytes"]
    assert all(first[key] == last[key] for key in ("kernel-launches", "workspace-bytes", "peak-bytes"))


def test_memory_that_is_not_there_spoils_nothing(bench, case_job, cuda):
    cases = (case_job("launched:too_much"), case_job("launched:add"))

    ended = bench.run(bench.written(Job(mode="outputs", arm="head", tree=str(bench.tree), device=cuda, cases=cases)))

    assert ended.failed("launched:too_much").reason == "out-of-memory"
    assert ended.outputs("launched:add")[0][1] == FIVES


def test_a_case_that_loses_the_device_ends_the_process_so_that_no_other_is_blamed(bench, case_job, cuda):
    cases = (case_job("launched:out_of_range"), case_job("launched:add"))

    ended = bench.run(bench.written(Job(mode="outputs", arm="head", tree=str(bench.tree), device=cuda, cases=cases)))

    assert ended.failed("launched:out_of_range").reason == "raised"
    assert ended.of("launched:add") == []
    assert ended.code == SPOILED


def test_a_device_beyond_the_last_is_told(bench, case_job, cuda):
    job = Job(mode="outputs", arm="head", tree=str(bench.tree), device="cuda:99", cases=(case_job("launched:add"),))

    assert bench.run(bench.written(job)).failed("launched:add").text.startswith("cuda:99: torch sees ")


def test_a_gpu_is_told_by_name_driver_and_limits(bench, cuda):
    job = Job(mode="probe", arm="head", tree=str(bench.tree), device=cuda)

    (identity,) = [r for r in bench.run(bench.written(job)).replies if isinstance(r, Identity)]

    assert {"device", "capability", "driver", "cuda", "mig", "power-limit-w", "timer"} <= set(identity.must_match)
    assert "unknown" not in identity.must_match.values()
    assert {"sm-clock-mhz", "memory-clock-mhz", "temperature-c"} <= set(identity.may_drift)


def test_a_gpu_s_peaks_and_the_length_of_a_quiet_kernel_are_measured_where_they_are_asked_for(bench, cuda):
    job = Job(mode="probe", arm="head", tree=str(bench.tree), device=cuda)

    (plain,) = [r for r in bench.run(bench.written(job)).replies if isinstance(r, Identity)]
    asked = replace(job, measure=("peaks", "spin"))
    (told,) = [r for r in bench.run(bench.written(asked)).replies if isinstance(r, Identity)]

    assert plain.peaks == plain.spin == {}
    assert 1e10 < told.peaks["peak-bytes-per-s"] < 1e14
    assert 1e12 < told.peaks["peak-flops-per-s"] < 1e17
    assert 500 < told.spin["call-ns"] < 50_000
    assert 0.25 < told.spin["ns-per-cycle"] < 2


UNLIKE = {"x": square(256), "y": replace(square(256), stream=1)}


@pytest.fixture
def timed(bench, case_job, cuda):
    """Asks one prepared worker; gives the answers to the requests."""
    cases = (
        case_job("launched:product", args={"x": square(2048), "y": square(2048)}),
        case_job("launched:product", case="larger", args={"x": square(8192), "y": square(8192)}),
        case_job("launched:on_another_stream"),
        case_job("launched:out_of_range"),
        *(case_job(f"launched:{name}", args=UNLIKE) for name in ("add", "on_a_stream_that_is_joined", "waits")),
        case_job("launched:add", case="longer", args={"x": square(2048), "y": square(2048)}),
        case_job("kernels:into", args=UNLIKE, mutates=("y",)),
        case_job("launched:tiled_add", dsl="tilelang", args={n: replace(a, shape=(1024,)) for n, a in UNLIKE.items()}),
    )
    with socket.socket(socket.AF_UNIX) as listener:
        path = str(bench.new_folder() / "s")
        listener.bind(path)
        listener.listen(1)
        listener.settimeout(120)
        job = Job(mode="lockstep", arm="head", tree=str(bench.tree), device=cuda, cases=cases, socket=path)
        control = bench.written(job)
        process = subprocess.Popen(bench.command("run", str(control)), start_new_session=True)
        connection, _ = listener.accept()
        with connection, connection.makefile("rb") as stream:

            def ask(request):
                connection.sendall(encode(request))
                return decode(stream.readline())

            ask.out = control / "out"
            yield ask
            connection.sendall(encode(Quit()))
            process.wait(60)


def test_events_tell_more_work_from_less_and_no_host_time_leaks(timed):
    answers = []
    for case in ("launched:product", "larger"):
        assert isinstance(timed(Prepare(case=case, warmups=5)), Ready)
        answers.append(timed(TimeBlock(case=case, seeds=tuple(range(1, 21)))))

    small, large = (sorted(answer.samples_ns)[10] for answer in answers)
    assert large / small > 8  # 64 times the arithmetic
    assert all(answer.method == "cuda-events-flush" for answer in answers)
    assert all(answer.notes["host-time-leaked"] <= LEAKS_SHARE * len(answer.samples_ns) for answer in answers)


def bytes_of(ask, case: str, method: str, sample: int, seed: int) -> bytes:
    """Of the call whose inputs were of `seed`, in a sample of two."""
    ask(Prepare(case=case, warmups=2))
    arranged = ask(Arrange(case=case, method=method, calls=CALLS))
    assert arranged.problem == ""
    batch = 1 if method == SINGLE else CALLS
    times = ask(TimeBlock(case=case, seeds=(1, sample), batch=batch, keep_bytes=1 << 28))
    assert times.method == method
    answer = ask(Export(case=case, seed=seed, prefix=f"{method}-"))
    ask(Release(case=case))
    return (ask.out / answer.outputs[0].file).read_bytes()


@pytest.mark.parametrize("case", ["launched:add", "launched:on_a_stream_that_is_joined", "kernels:into"])
@pytest.mark.parametrize(("method", "call"), [(GRAPH, 0), (GRAPH, 5), (GRAPH, CALLS - 1), (BATCH, CALLS - 1)])
def test_a_call_of_a_rotated_sample_gives_what_it_gives_alone_on_the_same_seed(timed, case, method, call):
    seed = seed_of_call(9, call)

    rotated = bytes_of(timed, case, method, 9, seed)

    assert rotated == bytes_of(timed, case, SINGLE, seed, seed)
    assert rotated != bytes_of(timed, case, SINGLE, seed + 1, seed + 1)


def test_a_kernel_of_tilelang_s_is_captured_with_the_stream_it_is_called_on(timed, bench):
    if subprocess.run([*bench.python, "-c", "import tilelang"], check=False).returncode:
        pytest.skip("not run: no interpreter with tilelang")
    seed = seed_of_call(9, 5)

    rotated = bytes_of(timed, "launched:tiled_add", GRAPH, 9, seed)

    assert rotated == bytes_of(timed, "launched:tiled_add", SINGLE, seed, seed)


def test_calls_in_a_graph_are_shorter_than_alone_and_tell_more_work_from_less(timed):
    medians = {}
    for case, method in (("launched:add", SINGLE), ("launched:add", GRAPH), ("longer", GRAPH)):
        timed(Prepare(case=case, warmups=3))
        timed(Arrange(case=case, method=method, calls=CALLS))
        answer = timed(TimeBlock(case=case, seeds=tuple(range(1, 21)), batch=CALLS if method == GRAPH else 1))
        medians[case, method] = sorted(answer.samples_ns)[10]
        assert answer.notes["host-time-leaked"] <= LEAKS_SHARE * len(answer.samples_ns)
        assert answer.notes["resolution-ns"] == 500 / (CALLS if method == GRAPH else 1)

    assert medians["launched:add", GRAPH] < medians["launched:add", SINGLE]
    assert medians["longer", GRAPH] > 2 * medians["launched:add", GRAPH]  # 64 times the bytes


@pytest.mark.parametrize("case", ["launched:waits", "launched:on_another_stream"])
def test_what_cannot_be_captured_is_told_and_never_timed_so(timed, case):
    timed(Prepare(case=case, warmups=2))

    refused = timed(Arrange(case=case, method=GRAPH, calls=CALLS))

    assert refused.problem


def test_work_on_another_stream_is_seen_after_the_last_event(timed):
    timed(Prepare(case="launched:on_another_stream", warmups=1))

    answer = timed(TimeBlock(case="launched:on_another_stream", seeds=(1, 2)))

    assert isinstance(answer, Times)
    assert answer.notes["after-last-event-ns"] > 500_000


def test_after_a_lost_device_no_other_case_is_blamed(timed):
    lost = timed(Prepare(case="launched:out_of_range", warmups=1))
    after = timed(Prepare(case="launched:product", warmups=1))

    assert (lost.rung, lost.reason) == ("run", "raised")
    assert isinstance(after, Failed)
    assert (after.rung, after.reason) == ("environment", "unavailable")
    assert after.text == "the device has not been usable since launched:out_of_range failed"


def long(value: float) -> TensorArg:
    return TensorArg(shape=(1024,), dtype="float32", fill=Fill(kind="constant", a=value), stream=1)


@pytest.mark.parametrize(
    ("preload", "dsl", "entry"), [("torch", "torch", "add"), ("torch,tilelang", "tilelang", "tiled_add")]
)
def test_children_of_a_zygote_reach_the_device_one_after_another(bench, case_job, cuda, preload, dsl, entry):
    asked = f"import importlib.util as u, sys; sys.exit(u.find_spec({dsl!r}) is None)"
    if subprocess.run([*bench.python, "-c", asked], check=False).returncode:
        pytest.skip(f"not run: no interpreter with {dsl}")
    case = case_job(f"launched:{entry}", dsl=dsl, args={"x": long(2), "y": long(3)}, device_kernels=("*",))
    path = bench.new_folder() / "z"
    process = subprocess.Popen(bench.command("zygote", str(path), preload), start_new_session=True)
    while not path.exists():
        time.sleep(0.05)
    with socket.socket(socket.AF_UNIX) as gate, gate.makefile("rb") as stream:
        gate.connect(str(path))
        for _ in range(3):
            control = bench.written(Job(mode="outputs", arm="head", tree=str(bench.tree), device=cuda, cases=(case,)))
            gate.sendall(encode(Fork(control=str(control))))
            stream.readline()
            exited = decode(stream.readline())

            ended = bench.ended(control, exited.status)
            assert ended.code == 0
            assert ended.outputs(case.case)[0][1] == struct.pack("<1024f", *[5.0] * 1024)
            assert any("add" in name or "elementwise" in name for name in ended.facts(case.case)["device-kernels"])
    process.wait(60)
