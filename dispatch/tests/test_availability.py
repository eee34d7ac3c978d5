"""Needs, and the custom path by name: what is looked for, when, and what happens if it is not there."""

import importlib.metadata
import sys

import kgate_dispatch
import pytest
from kgate_dispatch import NoCustomPath, capability, condition, cuda, package
from kgate_dispatch.needs import release

BROKEN = {
    "not there": "raise ImportError('no module for this GPU')",
    "a library that does not load": "raise OSError('libdsl.so: undefined symbol: launch')",
    "an error of its own": "class Unsupported(Exception): pass\nraise Unsupported('driver too old')",
    "a name that moved": "import os\nos.moved_elsewhere",
}


def test_the_product_imports_and_answers_where_the_package_is_missing(product, lines):
    triple = product(custom="acme_no_such_kernels:triple")

    answer = triple(2)

    assert answer == ("fallback", 2)
    level, text = lines()[0]
    assert level == "WARNING"
    assert "acme_no_such_kernels cannot be imported (ModuleNotFoundError: No module named" in text


def test_a_custom_path_named_by_text_is_imported_at_its_first_call(product, module):
    name = module("def triple(x):\n    return ('custom', x)")
    triple = product(custom=f"{name}:triple")
    before = name in sys.modules

    answer = triple(2)

    assert answer == ("custom", 2)
    assert (before, name in sys.modules) == (False, True)


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("as_need", [True, False], ids=["as a need", "as the custom path's module"])
def test_whatever_keeps_a_module_from_being_imported_makes_the_path_unavailable(product, module, text, as_need):
    name = module(text)
    triple = product(needs=package(name)) if as_need else product(custom=f"{name}:triple")

    answers = [triple(2), triple(3)]

    assert answers == [("fallback", 2), ("fallback", 3)]
    assert triple.counts() == {("fallback", "unavailable"): 2}
    assert name in triple.explain()


def test_a_module_without_the_function_makes_the_path_unavailable(product, module):
    name = module("if False:\n    def triple(x): ...")
    triple = product(custom=f"{name}:triple")

    assert triple(2)[0] == "fallback"
    assert f"{name} has no function triple" in triple.explain()


def test_nothing_is_imported_while_the_switch_is_off(product, module, switch, monkeypatch):
    name = module("raise SystemError('imported, and so broke another library')")
    triple = product(custom=f"{name}:triple", needs=package(name))
    monkeypatch.setenv(switch, "0")

    answer = triple(2)
    explained = triple.explain()

    assert answer[0] == "fallback"
    assert name not in explained


def test_nothing_is_imported_for_calls_that_the_custom_path_does_not_take(product, module):
    name = module("raise SystemError('imported, and so broke another library')")
    triple = product(custom=f"{name}:triple", needs=package(name), when=lambda x: x > 100)

    triple(2)

    assert triple.last == ("fallback", "refused")


def test_a_need_is_asked_once_until_reset(product):
    asked = []
    triple = product(needs=lambda: asked.append(1))

    for _ in range(3):
        triple(2)
    before = len(asked)
    triple.reset()
    triple(2)

    assert (before, len(asked)) == (1, 2)


def test_a_path_that_becomes_available_is_taken_after_reset(product):
    tuned = []
    triple = product(needs=condition(lambda: tuned, otherwise="no tuned configuration for this GPU"))

    first = triple(2)
    tuned.append("sm_90")
    still = triple(2)
    kgate_dispatch.reset()
    after = triple(2)

    assert [answer[0] for answer in (first, still, after)] == ["fallback", "fallback", "custom"]


def test_what_was_found_before_a_reset_is_not_kept_after_it(product):
    answers = iter(["not yet", None])

    def need():
        why = next(answers)
        if why:
            triple.reset()  # as another thread would, while this one is still asking
        return why

    triple = product(needs=need)

    assert [triple(2)[0], triple(2)[0]] == ["fallback", "custom"]


def test_a_package_that_is_installed_meanwhile_is_found_after_reset(product, module):
    name = module("")
    (product(custom=f"{name}:triple"))(2)  # Python has now read what is in the folder
    triple = product(custom=f"{name}_later:triple")

    first = triple(2)
    module("def triple(x):\n    return ('custom', x)", name=f"{name}_later")
    triple.reset()
    after = triple(2)

    assert (first[0], after[0]) == ("fallback", "custom")


def test_the_first_need_that_is_not_met_is_the_reason(product):
    triple = product(needs=[condition(lambda: True, "one"), condition(lambda: False, "two"), lambda: "three"])

    assert "(unavailable: two)" in triple.explain()


def test_what_a_need_raises_is_a_bug_and_goes_to_the_caller(product):
    triple = product(needs=lambda: undefined_name)  # noqa: F821

    with pytest.raises(NameError):
        triple(2)


def test_a_package_of_the_wrong_version_is_not_enough():
    version = importlib.metadata.version("pytest")
    major = int(version.partition(".")[0])

    met = package("pytest", at_least=f"{major}", below=f"{major + 1}")()
    too_old = package("pytest", at_least=f"{major + 1}")()
    too_new = package("pytest", below=version)()

    assert met is None
    assert too_old == f"pytest {version} is older than {major + 1}"
    assert too_new == f"pytest {version} is not older than {version}"


def test_a_package_whose_version_cannot_be_found_is_not_enough_where_a_version_matters(module):
    name = module("")

    assert package(name)() is None
    assert "no distribution of that name is installed" in package(name, at_least="1")()
    assert package(name, at_least="1", distribution="pytest")() is None


@pytest.mark.parametrize(
    ("older", "newer"),
    [("1.9", "1.10"), ("3.6.0", "3.7.1"), ("2.10.0+cu130", "2.10.1"), ("9.0", "10.0"), ("1.0rc1", "1.1"), ("v1", "2")],
)
def test_versions_are_compared_as_numbers(older, newer):
    assert release(older) < release(newer)


def test_a_zero_at_the_end_makes_no_other_version():
    assert release("3.7") == release("3.7.0") == release("3.7.0rc2")


def test_a_version_without_a_number_is_refused():
    with pytest.raises(ValueError, match="has to begin with numbers"):
        release("main")


FAKE_TORCH = """
class cuda:
    found = {found}
    is_available = staticmethod(lambda: bool(cuda.found))
    device_count = staticmethod(lambda: len(cuda.found))
    get_device_capability = staticmethod(lambda index: cuda.found[index])
"""


@pytest.fixture
def gpus(module, monkeypatch):
    """Puts a torch in place that sees GPUs of these capabilities."""

    def visible(*capabilities):
        monkeypatch.delitem(sys.modules, "torch", raising=False)
        module(FAKE_TORCH.format(found=list(capabilities)), name="torch")

    return visible


@pytest.mark.parametrize(
    ("found", "need", "why"),
    [
        ([(9, 0)], cuda(), None),
        ([], cuda(), "no CUDA GPU is visible"),
        ([], capability(at_least="8.0"), "no CUDA GPU is visible"),
        ([(9, 0)], capability(at_least="8.0"), None),
        ([(9, 0)], capability(at_least="9.0", below="10.0"), None),
        ([(10, 0)], capability(at_least="9.0"), None),
        ([(12, 1)], capability(at_least="12.1"), None),
        ([(7, 5)], capability(at_least="8.0"), "GPU 0 is of compute capability 7.5; wanted is at least 8.0"),
        ([(9, 0), (7, 5)], capability(at_least="8.0"), "GPU 1 is of compute capability 7.5; wanted is at least 8.0"),
        (
            [(10, 0)],
            capability(at_least="9.0", below="10.0"),
            "GPU 0 is of compute capability 10.0; wanted is at least 9.0 and below 10.0",
        ),
    ],
)
def test_gpus_are_looked_at_through_torch(gpus, found, need, why):
    gpus(*found)

    assert need() == why


def test_without_torch_there_is_no_gpu(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)  # what Python makes an ImportError of

    assert "torch cannot be imported" in cuda()()
    assert "torch cannot be imported" in capability(at_least="8.0")()


def test_a_capability_without_a_bound_is_refused():
    with pytest.raises(ValueError, match="give at_least, below or both"):
        capability()


def test_the_custom_path_itself_can_be_had_or_says_why_not(product):
    def kernel(x):
        return x

    assert product(custom=kernel).custom is kernel
    with pytest.raises(NoCustomPath, match="unavailable: it is Friday"):
        _ = product(needs=lambda: "it is Friday").custom


def test_a_torch_that_another_thread_is_importing_disturbs_nothing(product, module, monkeypatch):
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    __import__(module("", name="torch"))
    triple = product()

    assert triple(2) == ("custom", 2)
