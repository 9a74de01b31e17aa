"""Where a file lies that a model names: by `package://`, `model://`, `file://`, a relative or an absolute path.

A file is found within the model's folders (its own file's, and those that the caller named), within the packages
that these stand in, and within the folders that ROS and Gazebo declare in the environment; nowhere else.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote

_SCHEMES = ("package://", "model://")
_DECLARED = ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH", "GAZEBO_MODEL_PATH", "GZ_SIM_RESOURCE_PATH")
_MARKS = ("package.xml", "model.config")
_FOR_MODELS = {"urdf", "robots", "robot", "xacro", "mjcf", "xml", "sdf", "models"}
"""Folders of a package that hold models and nothing else: meshes lie beside them."""


class NotFound(LookupError):
    """A file that is not where it may be; the text says why."""


def locate(name: str, folders: Sequence[str | Path]) -> Path:
    """The file of this name, for a model that stands in these folders; `NotFound` if there is none."""
    own = [Path(folder).resolve() for folder in folders]
    allowed = [*own, *map(package_of, own)]
    for scheme in _SCHEMES:
        if name.startswith(scheme):
            package, _, rest = unquote(name.removeprefix(scheme)).lstrip("/").partition("/")
            homes = list(_homes(package, own))
            if not homes and not own:
                raise NotFound("the model knows no folder")
            return _first((home / rest for home in (*homes, *allowed)), [*homes, *allowed])
    path = Path(unquote(name.removeprefix("file://")) if name.startswith("file://") else name)
    if not own:
        raise NotFound("the model knows no folder")
    return _first([path] if path.is_absolute() else [folder / path for folder in own], allowed)


def package_of(folder: Path) -> Path:
    """The package that a model's folder stands in: what a `package.xml` marks, or the folder above `urdf/`."""
    for one in (folder, *list(folder.parents)[:4]):
        if any((one / mark).is_file() for mark in _MARKS):
            return one
    return folder.parent if folder.name.lower() in _FOR_MODELS else folder


def _homes(package: str, folders: Iterable[Path]) -> Iterator[Path]:
    """Folders of this package's name: around the model's, in the named ones, and where the environment says."""
    for folder in folders:
        yield from (one for one in (folder, *folder.parents) if one.name == package)
        yield folder / package
    for variable in _DECLARED:
        for entry in filter(None, os.environ.get(variable, "").split(os.pathsep)):
            yield from (Path(entry) / package, Path(entry) / "share" / package)


def _first(candidates: Iterable[Path], allowed: Sequence[Path]) -> Path:
    outside = False
    for candidate in candidates:
        path = candidate.resolve()
        if not any(path.is_relative_to(folder.resolve()) for folder in allowed):
            outside = True
        elif path.is_file():
            return path
    raise NotFound("it lies outside the folders of the model" if outside else "it is not there")
