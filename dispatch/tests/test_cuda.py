"""On a GPU: CUDA graphs, the default compiler, shadows of asynchronous work, and what needs find there."""

import pytest
from kgate_dispatch import capability, cuda

torch = pytest.importorskip("torch", reason="not run: torch is not installed here")
pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="not run: no CUDA GPU is visible")


def captured(function, x):
    """The graph, and the tensor that a replay writes to. Warmed up on a side stream, as torch's documentation asks."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        function(x)
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = function(x)
    return graph, y


def test_a_cuda_graph_keeps_the_path_that_it_captured(double, switch, monkeypatch):
    function = double()
    x = torch.ones(2, device="cuda")

    graph, y = captured(function, x)
    monkeypatch.setenv(switch, "0")
    x.fill_(5)
    graph.replay()
    kept = y.tolist()
    graph, y = captured(function, x)
    graph.replay()

    assert kept == [10, 10]
    assert y.tolist() == [105, 105]
    assert function.counts() == {("custom", "default"): 2, ("fallback", "switch"): 2}  # replays are not calls


def test_a_fallback_in_a_capture_is_said_to_be_captured(double, lines):
    function = double(when=lambda x: not torch.cuda.is_current_stream_capturing())

    graph, y = captured(function, torch.ones(2, device="cuda"))
    graph.replay()

    assert y.tolist() == [101, 101]
    assert "captured in a CUDA graph, which keeps it until it is captured anew" in lines()[0][1]


def test_a_capture_is_not_shadowed(double):
    reports = []
    function = double()
    function.shadow(1, reports.append)

    graph, y = captured(function, torch.ones(2, device="cuda"))
    graph.replay()

    assert y.tolist() == [2, 2]
    assert len(reports) == 1  # of the warm-up


@pytest.mark.parametrize("mode", ["default", "reduce-overhead"])
def test_the_default_compiler_makes_one_graph_and_sees_a_reset(double, switch, monkeypatch, fresh_compiler, mode):
    function = double()
    compiled = torch.compile(lambda x: function(x + 1) - 1, fullgraph=True, mode=mode)
    x = torch.ones(64, device="cuda")

    custom = [compiled(x).clone() for _ in range(3)]  # the third call of reduce-overhead replays a CUDA graph
    monkeypatch.setenv(switch, "0")
    function.reset()
    fallback = [compiled(x).clone() for _ in range(3)]

    assert [y.unique().tolist() for y in custom] == [[3]] * 3
    assert [y.unique().tolist() for y in fallback] == [[101]] * 3


def test_a_shadow_measures_work_that_the_gpu_does_later(double):
    reports = []
    x = torch.ones(2048, 2048, device="cuda")

    def slow(x):
        for _ in range(200):
            x = x @ torch.eye(2048, device="cuda")
        return x * 2

    function = double(custom=slow)
    function.shadow(1, reports.append)

    for _ in range(3):
        function(x)

    assert [report.error for report in reports] == [None] * 3
    assert reports[-1].max_abs == 99  # 2 and 101
    assert reports[-1].time_ratio > 2  # 200 matrix products beside one addition


def test_torchs_random_numbers_on_the_gpu_do_not_change(double):
    function = double()
    function.fallback = torch.nn.functional.dropout
    x = torch.ones(100, device="cuda")
    torch.manual_seed(7)
    expected = torch.rand(3, device="cuda")

    function.shadow(1, lambda report: None)
    torch.manual_seed(7)
    function(x)

    assert torch.equal(torch.rand(3, device="cuda"), expected)


def test_the_gpu_that_is_here_is_found():
    major, minor = min(torch.cuda.get_device_capability(n) for n in range(torch.cuda.device_count()))

    assert cuda()() is None
    assert capability(at_least=f"{major}.{minor}")() is None
    assert "compute capability" in capability(at_least=f"{major + 50}.0")()
