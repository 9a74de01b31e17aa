"""Who may import whom, read off the syntax trees; and what an import loads and how long it takes."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import quatrain

SOURCE = Path(__file__).resolve().parent.parent / "src"
PACKAGE = SOURCE / "quatrain"

# Room -> rooms it may import. `errors` lies below everything; a room that is added gets its line here.
ALLOWED = {
    "errors": set(),
    "scalar": {"errors"},
    "arrays": {"errors"},
    "geometry": {"errors", "scalar", "arrays"},
    "rotations": {"errors", "scalar", "geometry"},
    "interpolation": {"errors", "scalar", "geometry"},
    "joint": {"scalar", "geometry"},
    "equipment": {"errors", "scalar", "geometry"},
    "description": {"geometry", "joint", "model"},
    "model": {"errors", "scalar", "geometry", "joint", "equipment", "description", "notebook"},
    "alignment": {"scalar", "geometry"},
    "equations": {"errors", "scalar", "geometry", "rotations", "joint", "equipment", "model", "alignment"},
    "forces": {"equations"},
    "sensors": {"errors", "scalar", "geometry", "equations", "model", "trajectory"},
    "laws": {"errors", "scalar", "geometry", "equations", "model", "control"},
    "faults": {"geometry", "joint", "equipment", "model", "equations", "solids"},
    "checks": {"errors", "model", "faults"},
    "ordering": {"scalar", "equipment", "model"},
    "merging": {"geometry", "equipment", "model", "equations", "ordering"},
    "edit": {
        "errors",
        "scalar",
        "geometry",
        "joint",
        "equipment",
        "model",
        "equations",
        "builder_options",
        "merging",
        "ordering",
    },
    "builder_options": {"errors", "geometry", "joint", "model", "body"},
    "builder": {
        "errors",
        "geometry",
        "joint",
        "equipment",
        "model",
        "equations",
        "body",
        "solids",
        "builder_options",
        "checks",
        "edit",
        "robot",
    },
    "serial": {"errors", "geometry", "model", "builder", "builder_options"},
    "examples": {"errors", "geometry", "model", "builder", "serial", "solids", "robot"},
    "varying": {"equipment", "errors", "geometry", "joint", "model"},
    "kernel": {"errors", "geometry", "compiler", "model", "varying"},
    "arguments": {"equations", "errors"},
    "robot": {
        "arguments",
        "arrays",
        "checks",
        "errors",
        "compiler",
        "equations",
        "faults",
        "kernel",
        "model",
        "formats",
        "further",
        "seen",
        "motion",
    },
    "seen": {"model", "viewer", "machine_plots", "notebook"},
    "further": {
        "errors",
        "equations",
        "model",
        "base_parameters",
        "inverse_kinematics",
        "verify",
        "robot",
        "trajectory",
        "tree_simulation",
    },
    "inverse_kinematics": {"arguments", "equations", "errors", "robot"},
    "verify": {"errors", "roads", "robot"},
    "convert": {"errors", "model"},
    "motion": {"errors", "arguments", "equations", "model", "rotations"},
    "roads": {"equations", "robot"},
    "base_parameters": {"errors"},
    "formats": {
        "errors",
        "scalar",
        "geometry",
        "rotations",
        "joint",
        "model",
        "builder_options",
        "faults",
        "solids",
    },
    "saving": {"errors", "edit", "checks", "formats", "model", "robot"},
    "differences": {"errors", "geometry", "equations", "joint", "model"},
    "mending": {"geometry", "joint", "model", "checks", "formats"},
    "checking": {"errors", "edit", "formats", "loading", "mending", "robot", "saving", "verify"},
    "loading": {"errors", "faults", "formats", "checks", "edit", "examples", "model", "robot"},
    "interop": {"errors", "geometry", "model"},
    "compiler": {"errors", "scalar"},
    "viewer": {"errors", "geometry", "alignment", "model", "equations", "formats", "trajectory"},
    "compare": {"errors", "scalar", "arrays", "geometry", "rotations", "equations", "compiler"},
    "speed": {"errors", "geometry", "convert", "formats", "model", "robot", "tree_simulation"},
    "starts": {"errors", "geometry", "robot"},
    "curves": set(),
    "cli": {
        "errors",
        "compiler",
        "geometry",
        "body",
        "compare",
        "loading",
        "checking",
        "differences",
        "saving",
        "viewer",
        "robot",
        "starts",
        "tree_simulation",
        "equations",
        "varying",
        "control",
        "laws",
        "curves",
        "speed",
        "trajectory",
    },
    "control": {"errors", "scalar", "geometry"},
    "trajectory": {
        "errors",
        "report",
        "plot",
        "machine_plots",
        "notebook",
        "model",
        "robot",
        "viewer",
        "resampling",
        "trajectory_files",
    },
    "report": {"trajectory"},
    "plot": {"errors", "trajectory"},
    "notebook": {"model", "description", "trajectory"},
    "machine_plots": {"errors", "equations", "model", "plot", "trajectory"},
    "steppers": {"errors", "scalar", "equations", "compiler", "simulation"},
    "run_checks": {"errors", "scalar", "geometry", "equations", "compiler"},
    "simulation": {
        "errors",
        "control",
        "scalar",
        "geometry",
        "equations",
        "compiler",
        "steppers",
        "run_checks",
        "asking",
        "python_laws",
        "gathering",
        "progress",
        "run_files",
        "trajectory",
    },
    "gathering": {"simulation", "trajectory"},
    "explaining": {"varying", "compiler", "equations", "run_checks", "tree_simulation"},
    "asking": {"errors", "control", "scalar", "compiler", "equations", "run_checks", "simulation"},
    "python_laws": {"errors", "compiler", "control", "simulation", "trajectory"},
    "progress": {"errors", "gathering"},
    "store": {"errors"},
    "locking": {"store"},
    "run_files": {
        "errors",
        "compiler",
        "equations",
        "gathering",
        "locking",
        "simulation",
        "store",
        "trajectory",
    },
    "trajectory_files": {"errors", "equations", "locking", "run_files", "store", "trajectory"},
    "resampling": {"errors", "geometry", "interpolation", "trajectory"},
    "tree_runs": {
        "errors",
        "varying",
        "scalar",
        "compiler",
        "equations",
        "model",
        "simulation",
        "trajectory",
    },
    "tree_simulation": {
        "errors",
        "varying",
        "control",
        "compiler",
        "equations",
        "model",
        "run_checks",
        "simulation",
        "gathering",
        "trajectory",
        "tree_runs",
        "steppers",
        "explaining",
        "robot",
    },
    "solids": {"errors", "geometry", "equations"},
    "mesh_solids": {"errors", "geometry", "equations"},
    "shape_inertia": {"errors", "geometry", "equations", "formats", "mesh_solids", "model", "solids"},
    "body": {
        "errors",
        "control",
        "scalar",
        "geometry",
        "equations",
        "solids",
        "body_equations",
        "body_simulation",
        "compare",
        "simulation",
        "trajectory",
    },
    "body_equations": {"errors", "scalar", "geometry", "rotations", "equations"},
    "body_runs": {
        "control",
        "scalar",
        "geometry",
        "equations",
        "compiler",
        "run_checks",
        "simulation",
        "trajectory",
    },
    "body_simulation": {
        "errors",
        "control",
        "geometry",
        "equations",
        "run_checks",
        "simulation",
        "steppers",
        "trajectory",
        "body",
        "body_runs",
    },
    "spacecraft": {
        "errors",
        "control",
        "scalar",
        "geometry",
        "rotations",
        "equations",
        "compiler",
        "run_checks",
        "simulation",
        "trajectory",
        "body",
    },
    "__main__": {"cli"},
}

# Rooms that know neither NumPy, nor `math`, nor any backend.
PURE = {"geometry", "equations", "rotations", "interpolation"}
PURE_MAY_IMPORT = {
    "__future__",
    "collections",
    "dataclasses",
    "fractions",
    "functools",
    "itertools",
    "typing",
}
# `geometry/series.py` needs factorials as exact whole numbers.
FACTORIAL = {("geometry", "math")}

ALWAYS_THERE = {"numpy", *sys.stdlib_module_names}


def room_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def files():
    return sorted(PACKAGE.rglob("*.py"))


def imports(tree):
    """Module names imported anywhere, and whether that is at the top of the file."""
    top = {node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node in top) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute here"
            module = node.module or ""
            if module == "quatrain":
                yield from ((f"quatrain.{alias.name}", node in top) for alias in node.names)
            else:
                yield module, node in top


@pytest.mark.parametrize("path", files(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_rooms_import_downwards_only(path):
    room = room_of(path)
    if room == "__init__":
        return  # resolves names lazily; what it names is checked below
    assert room in ALLOWED, f"room {room!r} has no line in ALLOWED: say what it may import"
    for module, _ in imports(ast.parse(path.read_text(encoding="utf-8"))):
        if module.startswith("quatrain."):
            used = module.split(".")[1]
            assert used == room or used in ALLOWED[room], f"{room} imports {used}"


@pytest.mark.parametrize(
    "path", [p for p in files() if room_of(p) in PURE], ids=lambda p: str(p.relative_to(PACKAGE))
)
def test_physics_knows_no_backend(path):
    for module, _ in imports(ast.parse(path.read_text(encoding="utf-8"))):
        base = module.split(".")[0]
        allowed = base in PURE_MAY_IMPORT or base == "quatrain" or (room_of(path), base) in FACTORIAL
        assert allowed, f"{path.name} imports {module}"


@pytest.mark.parametrize("path", files(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_optional_libraries_are_imported_where_they_are_needed(path):
    adapter = path.parent.name == "scalar"  # loaded only when a scalar of that library comes
    for module, at_top in imports(ast.parse(path.read_text(encoding="utf-8"))):
        base = module.split(".")[0]
        command = room_of(path) == "cli" and base in ("typer", "rich")
        assert base == "quatrain" or base in ALWAYS_THERE or not at_top or adapter or command, (
            f"{module} at the top"
        )


def comparisons_that_branch(tree):
    """`if`, `while`, `assert` and conditional expressions whose test compares anything with < or >."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)):
            for part in ast.walk(node.test):
                if isinstance(part, ast.Compare) and any(isinstance(op, (ast.Lt, ast.Gt)) for op in part.ops):
                    yield node.lineno


@pytest.mark.parametrize("path", sorted((PACKAGE / "equations").rglob("*.py")), ids=lambda p: p.name)
def test_equations_do_not_branch_on_a_scalar(path):
    assert list(comparisons_that_branch(ast.parse(path.read_text(encoding="utf-8")))) == []


@pytest.mark.parametrize("path", files(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_long_files_say_why(path):
    text = path.read_text(encoding="utf-8")
    if text.count("\n") > 400:
        docstring = ast.get_docstring(ast.parse(text)) or ""
        assert "over 400 lines" in docstring, f"{path.name} is long and does not say why at its top"


def run(code):
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout.split()


def test_the_package_loads_nothing_until_a_name_is_used():
    loaded = run("import sys, quatrain; print(*[m for m in sys.modules if m.startswith('quatrain')])")
    assert loaded == ["quatrain"]


def test_every_public_name_resolves():
    loaded = run(
        "import quatrain; [getattr(quatrain, name) for name in quatrain.__all__]; print(len(quatrain.__all__))"
    )
    assert int(loaded[0]) > 15
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        quatrain.nonsense  # noqa: B018 looking it up is the test


def test_no_backend_is_loaded_by_the_geometry():
    loaded = run("import sys; from quatrain import *; print(*sys.modules)")
    assert {"casadi", "sympy", "mpmath", "scipy", "llvmlite"}.isdisjoint(loaded)


def test_the_compiler_loads_without_the_physics():
    loaded = run(
        "import sys, quatrain.compiler; print(*[m for m in sys.modules if m.startswith('quatrain.')])"
    )
    assert {name.split(".")[1] for name in loaded} == {"errors", "scalar", "compiler"}
    assert "llvmlite" not in run("import sys, quatrain.compiler; print(*sys.modules)")


@pytest.mark.parametrize("name", ["__version__", "Quaternion", "AngleConvention", "RigidBody", "Spacecraft"])
def test_the_import_and_the_first_name_are_quick_after_numpys_own(name):
    """Under 150 ms of the processor's time, best of five, as the machine does other things too."""
    code = (
        "import time, numpy; t = time.process_time(); "
        f"from quatrain import {name}; print(time.process_time() - t)"
    )
    assert min(float(run(code)[0]) for _ in range(5)) < 0.150
