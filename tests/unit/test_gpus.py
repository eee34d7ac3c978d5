"""What `--gpus` means, and GPUs that do not go together."""

from dataclasses import replace

import pytest

from kgate import gpus
from kgate.errors import HostError, UsageError
from kgate.protocol import Identity

H200 = Identity(
    must_match={"device": "NVIDIA H200", "driver": "580.95", "power-limit-w": "700"},
    may_drift={},
    information={"uuid": "4c6b"},
    adapters={},
    devices={},
)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", ()),
        ("1", ("cuda:0",)),
        ("3", ("cuda:0", "cuda:1", "cuda:2")),
        ("cuda:2,cuda:0", ("cuda:2", "cuda:0")),
    ],
)
def test_gpus_are_a_number_or_names(text: str, names: tuple[str, ...]) -> None:
    assert gpus.named(text, "auto") == names


@pytest.mark.parametrize("text", ["0", "two", "cuda:0,", "cuda:0,cuda:0", "cpu", "cuda:1,cpu", "-1", "100"])
def test_what_names_no_gpus_is_refused_with_what_does(text: str) -> None:
    with pytest.raises(UsageError, match="give a number of GPUs, or their names as in cuda:0,cuda:2"):
        gpus.named(text, "cuda")


@pytest.mark.parametrize("device", ["cpu", "cuda:1"])
def test_gpus_beside_another_device_are_refused(device: str) -> None:
    with pytest.raises(UsageError, match=f"--device {device} --gpus 2: name the GPUs with --gpus alone"):
        gpus.named("2", device)


def test_gpus_of_two_models_are_refused_in_a_sentence_that_names_both() -> None:
    other = replace(H200, must_match={**H200.must_match, "device": "NVIDIA L4", "driver": "1"})

    with pytest.raises(HostError, match=r"cuda:0 and cuda:1 differ in device \(cuda:0 has NVIDIA H200, cuda:1 has NVI"):
        gpus.alike({"cuda:0": H200, "cuda:1": other})


def test_gpus_of_one_model_that_are_set_differently_are_refused_as_well() -> None:
    capped = replace(H200, must_match={**H200.must_match, "power-limit-w": "500"})

    with pytest.raises(HostError, match=r"differ in power-limit-w \(cuda:0 has 700, cuda:3 has 500\)"):
        gpus.alike({"cuda:0": H200, "cuda:2": H200, "cuda:3": capped})


def test_gpus_that_are_alike_are_told_apart_by_their_uuid() -> None:
    other = replace(H200, information={"uuid": "9f"})

    gpus.alike({"cuda:0": H200, "cuda:1": other})

    assert gpus.uuids({"cuda:0": H200, "cuda:1": other}) == {"cuda:0": "4c6b", "cuda:1": "9f"}
