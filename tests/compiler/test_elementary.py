"""The generated elementary functions against mpmath, with fused multiply-add and without it."""

from __future__ import annotations

import ast
import ctypes
import io
import platform
import re
import runpy
import sys
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from quatrain.compiler import elementary
from quatrain.compiler.elementary import OPERATIONS, function_name, library, vector_type
from tests.compiler.exact_functions import NAMES, PRECISIONS, sample

binding = pytest.importorskip("llvmlite.binding")

ROOT = Path(__file__).resolve().parents[2]
DTYPES = ("float64", "float32")
SIZE = 400  # random arguments of each kind
ON_X86 = platform.machine().lower() in ("x86_64", "amd64")


def host_features() -> str:
    return str(binding.get_host_cpu_features().flatten())


def has(feature: str) -> bool:
    return binding.get_host_cpu_features().get(feature, False)


HAS_FMA = has("fma") if ON_X86 else True
FUSED = pytest.param(
    True, marks=pytest.mark.skipif(not HAS_FMA, reason="no fused multiply-add here"), id="fma"
)
PLAIN = pytest.param(False, id="plain")


def loop(name: str, width: int, dtype: str) -> str:
    """LLVM IR of a function that applies `name` to columns whose length is a multiple of the width."""
    arguments, results = OPERATIONS[name].arguments, OPERATIONS[name].results
    vector, scalar = vector_type(width, dtype), {"float64": "double", "float32": "float"}[dtype]
    kind = vector if results == 1 else "{ " + ", ".join([vector] * results) + " }"
    pointers = [f"ptr %a{k}" for k in range(arguments)] + [f"ptr %r{k}" for k in range(results)]
    lines = [
        f"define void @column_{name}({', '.join(pointers)}, i64 %n) {{",
        "entry:",
        "  br label %body",
        "body:",
        "  %i = phi i64 [ 0, %entry ], [ %next, %body ]",
    ]
    for k in range(arguments):
        lines.append(f"  %p{k} = getelementptr {scalar}, ptr %a{k}, i64 %i")
        lines.append(f"  %x{k} = load {vector}, ptr %p{k}, align 4")
    operands = ", ".join(f"{vector} %x{k}" for k in range(arguments))
    lines.append(f"  %y = call {kind} {function_name(name, width, dtype)}({operands})")
    for k in range(results):
        value = f"%y{k}" if results > 1 else "%y"
        if results > 1:
            lines.append(f"  {value} = extractvalue {kind} %y, {k}")
        lines.append(f"  %q{k} = getelementptr {scalar}, ptr %r{k}, i64 %i")
        lines.append(f"  store {vector} {value}, ptr %q{k}, align 4")
    lines += [
        f"  %next = add i64 %i, {width}",
        "  %more = icmp slt i64 %next, %n",
        "  br i1 %more, label %body, label %done",
        "done:",
        "  ret void",
        "}",
    ]
    return "\n".join(lines)


def machine(cpu: str, features: str, triple: str | None = None):
    target = binding.Target.from_triple(triple or binding.get_process_triple())
    return target.create_target_machine(cpu=cpu, features=features, opt=3)


def optimised(text: str, target):
    module = binding.parse_assembly(text)
    module.verify()
    module.triple, module.data_layout = target.triple, str(target.target_data)
    builder = binding.create_pass_builder(target, binding.create_pipeline_tuning_options(speed_level=2))
    builder.getModulePassManager().run(module, builder)
    return module


class Columns:
    """The functions of one library, compiled, on NumPy columns."""

    def __init__(self, width: int, dtype: str, fma: bool, cpu: str, features: str) -> None:
        self.width, self.dtype = width, np.dtype(dtype)
        text = library(width=width, dtype=dtype, fma=fma)
        text += "\n".join(loop(name, width, dtype) for name in OPERATIONS)
        target = machine(cpu, features)
        self.engine = binding.create_mcjit_compiler(optimised(text, target), target)
        self.engine.finalize_object()

    def __call__(self, name: str, *columns: np.ndarray) -> np.ndarray:
        """One row a result."""
        count = len(columns[0])
        padding = np.ones(-count % self.width, self.dtype)
        padded = [np.concatenate([np.asarray(c, self.dtype), padding]) for c in columns]
        results = np.empty((OPERATIONS[name].results, count + len(padding)), self.dtype)
        addresses = [array.ctypes.data for array in (*padded, *results)]
        address = self.engine.get_function_address(f"column_{name}")
        function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(addresses), ctypes.c_int64)(address)
        function(*addresses, count + len(padding))
        return results[:, :count]


@cache
def columns(width: int, dtype: str, fma: bool, cpu: str | None = None) -> Columns:
    """For the host with everything it has; without fused multiply-add, for the plainest of its family."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    if cpu is None and not fma and ON_X86:
        cpu = "x86-64"
    if cpu is not None:
        return Columns(width, dtype, fma, cpu, "")
    return Columns(width, dtype, fma, binding.get_host_cpu_name(), host_features())


def bits(values: np.ndarray) -> np.ndarray:
    return values.view(np.uint64 if values.dtype == np.float64 else np.uint32)


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """To the bit, but that one NaN is as good as another."""
    return bool(np.all((bits(a) == bits(b)) | (np.isnan(a) & np.isnan(b))))


def assert_within_one_ulp(name: str, dtype: str, computed: np.ndarray, size: int, seed: int = 0) -> None:
    truth = sample(name, dtype, size, seed)
    errors = truth.errors(computed)
    worst = int(errors.argmax())
    at = tuple(float(column[worst]).hex() for column in truth.arguments)
    assert errors[worst] < 1, f"{name}{at} = {float(computed[worst]).hex()}: off by {errors[worst]:.3g} ulp"


@pytest.mark.parametrize("fma", [FUSED, PLAIN])
@pytest.mark.parametrize("width", [1, 4, 8])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", NAMES)
def test_every_result_is_within_one_ulp(name, dtype, width, fma):
    truth = sample(name, dtype, SIZE)
    assert_within_one_ulp(name, dtype, columns(width, dtype, fma)(name, *truth.arguments)[0], SIZE)


@pytest.mark.slow
@pytest.mark.parametrize("fma", [FUSED, PLAIN])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(1, 4))
def test_every_result_is_within_one_ulp_of_many_more(name, dtype, fma, seed):
    size = 5000
    truth = sample(name, dtype, size, seed)
    assert_within_one_ulp(name, dtype, columns(8, dtype, fma)(name, *truth.arguments)[0], size, seed)


@pytest.mark.parametrize("fma", [FUSED, PLAIN])
@pytest.mark.parametrize("dtype", DTYPES)
def test_sin_cos_and_sincos_agree_to_the_bit(dtype, fma):
    (x,) = sample("sin", dtype, SIZE).arguments
    compiled = columns(4, dtype, fma)
    sine, cosine = compiled("sincos", x)
    assert same(sine, compiled("sin", x)[0])
    assert same(cosine, compiled("cos", x)[0])


@pytest.mark.parametrize("fma", [FUSED, PLAIN])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", NAMES)
def test_a_lane_depends_on_its_own_argument_alone(name, dtype, fma):
    """The same bits in any order, hence beside any neighbours (special and huge ones are in the sample)."""
    compiled = columns(8, dtype, fma)
    arguments = sample(name, dtype, SIZE).arguments
    expected = compiled(name, *arguments)[0]
    rng = np.random.default_rng(1)
    for _ in range(4):
        order = rng.permutation(len(expected))
        assert same(compiled(name, *(a[order] for a in arguments))[0], expected[order])
    # One argument in all lanes, with neighbours that take the slow path of every function.
    for slow in (np.nan, np.inf, np.finfo(dtype).max, 0.0, np.finfo(dtype).smallest_subnormal):
        mixed = [np.full((len(expected), 8), slow, dtype) for _ in arguments]
        for block, column in zip(mixed, arguments, strict=True):
            block[:, 3] = column
        assert same(compiled(name, *(m.ravel() for m in mixed))[0].reshape(-1, 8)[:, 3], expected)


@pytest.mark.parametrize("fma", [FUSED, PLAIN])
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_width_gives_the_same_bits(dtype, fma):
    for width in (1, 2, 4, 16):
        for name in NAMES:
            arguments = sample(name, dtype, SIZE).arguments
            expected = columns(8, dtype, fma)(name, *arguments)
            assert same(columns(width, dtype, fma)(name, *arguments), expected), (name, width)


@pytest.mark.skipif(not (ON_X86 and has("avx2") and has("fma")), reason="no AVX2 here")
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_machine_with_fused_multiply_add_gives_the_same_bits(dtype):
    for name in NAMES:
        arguments = sample(name, dtype, SIZE).arguments
        expected = columns(8, dtype, True)(name, *arguments)
        assert same(columns(4, dtype, True, "haswell")(name, *arguments), expected), name


@pytest.mark.parametrize("fma", [FUSED, PLAIN])
@pytest.mark.parametrize("dtype", DTYPES)
def test_odd_and_even_functions_are_so_to_the_bit(dtype, fma):
    compiled = columns(8, dtype, fma)
    for name in ("sin", "tan", "asin", "atan", "tanh"):
        (x,) = sample(name, dtype, SIZE).arguments
        assert same(compiled(name, -x)[0], -compiled(name, x)[0]), name
    (x,) = sample("cos", dtype, SIZE).arguments
    assert same(compiled("cos", -x)[0], compiled("cos", x)[0])


@pytest.mark.parametrize("fma", [FUSED, PLAIN])
@pytest.mark.parametrize("dtype", DTYPES)
def test_powers_that_are_representable_are_exact(dtype, fma):
    digits = PRECISIONS[dtype].digits
    pairs = [(b, n) for b in range(-9, 10) for n in range(40) if b and abs(b) ** n < 2**digits]
    pairs += [(b * b, 0.5) for b in range(1, 300)] + [(b**4, 0.25) for b in range(1, 50)]
    pairs += [(b * b, 1.5) for b in range(1, 100)] + [(2.0, n) for n in range(-100, 100)]
    x, y = (np.array(column, dtype) for column in zip(*pairs, strict=True))
    computed = columns(8, dtype, fma)("pow", x, y)[0]
    assert np.array_equal(computed.astype(float), x.astype(float) ** y.astype(float))


@pytest.mark.parametrize("fma", [FUSED, PLAIN])
@pytest.mark.parametrize("dtype", DTYPES)
def test_power_follows_the_special_cases_of_c99(dtype, fma):
    """ISO/IEC 9899:1999, F.9.4.4, line by line."""
    inf, nan = np.inf, np.nan
    cases = [
        (0.0, -3.0, inf),
        (-0.0, -3.0, -inf),
        (0.0, -2.5, inf),
        (-0.0, -2.0, inf),
        (-0.0, 3.0, -0.0),
        (0.0, 3.0, 0.0),
        (-0.0, 2.5, 0.0),
        (-0.0, inf, 0.0),
        (-0.0, -inf, inf),
        (-1.0, inf, 1.0),
        (-1.0, -inf, 1.0),
        (1.0, nan, 1.0),
        (1.0, inf, 1.0),
        (nan, 0.0, 1.0),
        (nan, -0.0, 1.0),
        (inf, 0.0, 1.0),
        (-2.0, 0.5, nan),
        (0.5, -inf, inf),
        (-0.5, -inf, inf),
        (1.5, -inf, 0.0),
        (0.5, inf, 0.0),
        (-1.5, inf, inf),
        (-inf, -3.0, -0.0),
        (-inf, -2.0, 0.0),
        (-inf, -2.5, 0.0),
        (-inf, 3.0, -inf),
        (-inf, 2.0, inf),
        (-inf, 2.5, inf),
        (inf, -1.0, 0.0),
        (inf, 1.0, inf),
        (nan, 1.0, nan),
        (2.0, nan, nan),
    ]
    x, y, expected = (np.array(column, dtype) for column in zip(*cases, strict=True))
    assert same(columns(8, dtype, fma)("pow", x, y)[0], expected)


@pytest.mark.parametrize("dtype", DTYPES)
def test_atan2_tells_the_quadrant_by_the_signs_of_zeros_and_infinities(dtype):
    # x, and the angles to (x, 0) and (x, ∞) in eighths of a turn.
    table = [(-np.inf, 4, 3), (-1.0, 4, 2), (-0.0, 4, 2), (0.0, 0, 2), (1.0, 0, 2), (np.inf, 0, 1)]
    for x, to_zero, to_infinity in table:
        y = np.array([0.0, -0.0, np.inf, -np.inf], dtype)
        expected = np.pi / 4 * np.array([to_zero, -to_zero, to_infinity, -to_infinity])
        computed = columns(4, dtype, False)("atan2", y, np.full(4, x))[0]
        assert same(computed, np.copysign(expected, y).astype(dtype)), x


@pytest.mark.parametrize("width", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("dtype", DTYPES)
def test_nothing_calls_the_c_library(dtype, width):
    """On a machine without fused multiply-add, rounding instructions or gathers."""
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    plain = library(width=width, dtype=dtype, fma=False)
    assert "llvm.fma" not in plain
    fused = library(width=width, dtype=dtype, fma=True)
    for text, triple, cpu in (
        (plain, "x86_64-unknown-linux-gnu", "x86-64"),
        (fused, "x86_64-unknown-linux-gnu", "haswell"),
        (fused, "x86_64-unknown-linux-gnu", "skylake-avx512"),
        (fused, "aarch64-unknown-linux-gnu", "generic"),
    ):
        text += "\n".join(loop(name, width, dtype) for name in OPERATIONS)
        target = machine(cpu, "", triple)
        written = target.emit_assembly(optimised(text, target))
        called = set(re.findall(r"^\s+(?:callq?|bl)\s+\"?([\w.@*%]+)", written, re.MULTILINE))
        assert all(name.startswith(("qt.", "*%r")) for name in called), (cpu, called)
        assert not re.search(r"\bfmaf?\b@|_?\b(sinf?|cosf?|expf?|logf?|powf?)@", written)


def test_a_library_holds_what_is_asked_for_and_what_that_needs():
    text = library(width=4, dtype="float64", fma=True, names={"exp"})
    assert re.findall(r"^define .*?(@[\w.]+)", text, re.MULTILINE) == ["@qt.exp.f64x4"]
    text = library(width=8, dtype="float32", fma=True, names=["sin"])
    assert set(re.findall(r"^define .*?(@[\w.]+)", text, re.MULTILINE)) == {
        "@qt.sin.f32x8",
        "@qt.reduce_far.f64x8",
    }
    assert "fast" not in text
    assert "contract" not in text
    assert function_name("sin", 8, "float32") == "@qt.sin.f32x8"
    assert vector_type(1, "float32") == "<1 x float>"


def test_a_wrong_request_says_what_there_is():
    with pytest.raises(ValueError, match=r"no operation 'sinh'; there are sin, cos, sincos, tan"):
        library(width=4, dtype="float64", fma=True, names={"sinh"})
    with pytest.raises(ValueError, match=r"no operation 'sinh'"):
        function_name("sinh", 4, "float64")
    with pytest.raises(ValueError, match="width is 3; it must be one of 1, 2, 4, 8, 16"):
        library(width=3, dtype="float64", fma=True)
    with pytest.raises(ValueError, match="dtype is 'float16'; it must be one of float64, float32"):
        vector_type(4, "float16")


def test_the_package_needs_nothing_but_the_standard_library_and_itself():
    for path in Path(elementary.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                ours = name.startswith(elementary.__name__)
                assert ours or name.partition(".")[0] in sys.stdlib_module_names, (path.name, name)


@pytest.mark.slow
def test_the_polynomials_are_those_of_the_fitting_tool():
    written = io.StringIO()
    with redirect_stdout(written):
        runpy.run_path(str(ROOT / "tools" / "fit_polynomials.py"), run_name="__main__")
    made: dict[str, object] = {"__name__": elementary.coefficients.__name__}
    exec(compile(written.getvalue(), "coefficients.py", "exec"), made)
    for name in ("FLOAT64", "FLOAT32"):
        assert vars(made[name]) == vars(getattr(elementary.coefficients, name))
