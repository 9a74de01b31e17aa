"""A small neural network as a law: weights from arrays, traced into the kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from quatrain.control import Control
from quatrain.errors import ArgumentError
from quatrain.laws.targets import Driven, bounded, bounds_of, model_of
from quatrain.scalar import Scalar, exp, log, maximum, tanh


def _softplus(x: Scalar) -> Scalar:
    """log(1 + eˣ), without overflow."""
    return maximum(x, 0.0) + log(exp(-maximum(x, -x)) + 1.0)


ACTIVATIONS: dict[str, Callable[[Scalar], Scalar]] = {
    "tanh": tanh,
    "relu": lambda x: maximum(x, 0.0),
    "sigmoid": lambda x: (tanh(x * 0.5) + 1.0) * 0.5,
    "softplus": _softplus,
    "elu": lambda x: maximum(x, 0.0) + exp(-maximum(-x, 0.0)) - 1.0,
}


def neural_network(
    robot: Any,
    weights: Sequence[Any],
    biases: Sequence[Any] | None = None,
    *,
    activation: str = "tanh",
    observe: Callable[..., Sequence[Scalar]] | None = None,
    scale: Any = 1.0,
    joints: Iterable[str] | None = None,
    limit: Any = None,
    every: int = 1,
) -> Control:
    """τ = scale · (W_n σ(… σ(W_1 o + b_1) …) + b_n), weights (outputs, inputs) as frameworks keep them.

    `observe(t, q, v, p)` gives the inputs o; without it they are the entries of q, then those of v. The last layer has
    an output for each velocity that is driven.
    """
    model = model_of(robot)
    names = None if joints is None else (joints,) if isinstance(joints, str) else tuple(joints)
    driven = Driven(model, "neural_network", names)
    layers = _layers(weights, biases, len(driven.places))
    if activation not in ACTIVATIONS:
        raise ArgumentError(
            f"activation of neural_network is {activation!r}", do=f"choose one of {', '.join(ACTIVATIONS)}"
        )
    bend, factors, bounds = (
        ACTIVATIONS[activation],
        driven.numbers(scale, "scale", least=None),
        bounds_of(driven, limit),
    )
    asked = layers[0][0].shape[1]
    if observe is None and asked != model.nq + model.nv:
        raise ArgumentError(
            f"the first layer of neural_network has {asked} inputs; {model.name} has nq + nv = {model.nq + model.nv}",
            do="give a function observe=lambda t, q, v, p: [...] of the inputs it was trained with",
        )

    def law(t: Scalar, q: Any, v: Any, x: Any, p: Any) -> list[Scalar]:
        values = [*q, *v] if observe is None else list(observe(t, q, v, p))
        if len(values) != asked:
            raise ArgumentError(
                f"observe of neural_network gives {len(values)} numbers, and its first layer has {asked} inputs",
                do="return as many",
            )
        for k, (W, b) in enumerate(layers):
            values = [_neuron(row, values, shift) for row, shift in zip(W.tolist(), b.tolist(), strict=True)]
            if k < len(layers) - 1:
                values = [bend(value) for value in values]
        tau: list[Scalar] = [0.0] * model.nv
        for k, value in zip(driven.places, values, strict=True):
            tau[k] = value * factors[k]
        return bounded(tau, bounds, p)

    return Control(law, every=every)


def _neuron(row: Sequence[float], values: Sequence[Scalar], shift: float) -> Scalar:
    return sum((weight * value for weight, value in zip(row, values, strict=True)), shift)


def _layers(weights: Sequence[Any], biases: Sequence[Any] | None, outputs: int) -> list[tuple[Any, Any]]:
    matrices = [np.asarray(W, float) for W in weights]
    if not matrices:
        raise ArgumentError("neural_network has no layers", do="give one matrix (outputs, inputs) or more")
    for k, W in enumerate(matrices):
        if W.ndim != 2 or (k and W.shape[1] != matrices[k - 1].shape[0]):
            wanted = "two axes" if W.ndim != 2 else f"(…, {matrices[k - 1].shape[0]})"
            raise ArgumentError(
                f"weights[{k}] of neural_network has shape {W.shape}; it needs {wanted}",
                do="give matrices (outputs, inputs), each with the inputs that the one before puts out",
            )
    if matrices[-1].shape[0] != outputs:
        raise ArgumentError(
            f"the last layer of neural_network has {matrices[-1].shape[0]} outputs; it drives {outputs} velocities",
            do="give as many rows, or name in joints= which it drives",
        )
    shifts = (
        [np.zeros(len(W)) for W in matrices] if biases is None else [np.asarray(b, float) for b in biases]
    )
    if [b.shape for b in shifts] != [(len(W),) for W in matrices]:
        raise ArgumentError(
            f"biases of neural_network have shapes {[b.shape for b in shifts]}",
            do=f"give {[(len(W),) for W in matrices]}, one for each layer",
        )
    if not all(np.all(np.isfinite(x)) for x in (*matrices, *shifts)):
        raise ArgumentError("weights of neural_network hold NaN or infinity", do="look at how it was trained")
    return list(zip(matrices, shifts, strict=True))
