"""Composite bodies on chains and trees, and models of other shape brought to the chain's form."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from quatrain import ArgumentError, Mat3, Pose, Quaternion, SymMat3, Vec3
from quatrain.equations import chain as chains
from quatrain.equations.chain import Chain, Link, PlacedJoint, adapt, composite, configuration, twists
from quatrain.equations.rigid_body import Body
from tests.chain_samples import BATCH, G, case_of, close, columns, nested, patterns, table, tensor, vec
from tests.samples import rng
from tests.truth.chains import Placed, PointChain, symbols
from tests.truth.rotations import rodrigues


@pytest.fixture
def case(request):
    return case_of(request.param)


ABOUT = Vec3(0.4, -0.3, 1.1)  # results do not depend on the point of reference


def parts(case, about=twists.ORIGIN):
    return chains.joint_twists(case.at, about=about), chains.body_pseudo_inertias(case.at, about=about)


# ---- chains ----------------------------------------------------------------------------------------


@patterns()
def test_twists_and_pseudo_inertias_are_what_points_say(case):
    """Proves: X(8), X(9)"""
    s, P = parts(case)
    composite_P = chains.subtree_sums(P)
    for i, cloud in enumerate(case.truth.clouds):
        x = case.placed.point(i, cloud.points)
        homogeneous = np.concatenate([x, np.ones((*x.shape[:2], 1))], axis=-1)
        exact = np.einsum("p,bpi,bpj->bij", cloud.masses, homogeneous, homogeneous)
        close(P[i].matrix(), exact)
        for alpha in range(i + 1):
            velocity = np.einsum("bij,bpj->bpi", columns(s[alpha].matrix(), (4, 4)), homogeneous)
            close(velocity[..., :3], case.placed.point(i, cloud.points, (alpha,)))
    whole = sum(columns(P_k.matrix(), (4, 4)) for P_k in P[case.n // 2 :])
    close(composite_P[case.n // 2].matrix(), whole)


@patterns(short=True)
def test_entries_by_traces_and_by_spatial_inertias(case):
    """Proves: X(10), X(11)"""
    for about in (twists.ORIGIN, ABOUT):
        s, P = parts(case, about)
        P = chains.subtree_sums(P)
        for entry in (composite.metric_entry_by_trace, composite.metric_entry_by_inertia):
            close(table(lambda a, b, f=entry: f(s, P, a, b), case.n, 2), case.metric["whole"])  # noqa: B023
        for entry in (composite.christoffel_symbol_by_trace, composite.christoffel_symbol_by_inertia):
            found = table(lambda a, b, c, f=entry: f(s, P, a, b, c), case.n, 3)  # noqa: B023
            close(found, case.symbols["whole"])


@patterns()
def test_everything_from_composites(case):
    """Proves: X(3), X(6), X(7), X(10), X(11), XS(1), XS(2), XS(3), XS(4)"""
    exact, dq = case.symbols["whole"], case.dq
    for about in (twists.ORIGIN, ABOUT):
        s, P = parts(case, about)
        close(nested(composite.metric_of_composites(s, P).rows), case.metric["whole"])
        close(nested(composite.christoffel_of_composites(s, P)), exact)
        C = np.einsum("abc...,b...->ca...", exact, dq)
        close(nested(composite.coriolis_of_composites(s, P, dq).rows), C)
        h = np.einsum("ca...,a...->c...", C, dq)
        close(nested(composite.forces_of_composites(s, P, dq)), h)
        gravity = np.array([-case.placed.potential(G, (gamma,)) for gamma in case.joints])
        close(nested(composite.forces_of_composites(s, P, dq, gravity=vec(G))), h - gravity)
        close(nested(composite.gravity_of_composites(s, P, vec(G))), gravity)


@patterns()
def test_the_structure_of_the_symbols(case):
    """Of the differentiated metric itself, compared with its largest entry.

    Proves: XS(1), XS(2), XS(3), XS(4)
    """
    exact, joints = case.symbols["whole"], case.joints
    close(exact, exact.swapaxes(0, 1))
    for a in joints:
        for b in joints:
            close(exact[a, b, max(a, b)], 0, scale=max(1, np.max(np.abs(exact))))
            if case.chain.links[min(a, b)].prismatic:
                close(exact[a, b], 0, scale=max(1, np.max(np.abs(exact))))
            for c in joints:
                if a <= min(b, c):
                    close(exact[a, b, c] + exact[a, c, b], 0, scale=max(1, np.max(np.abs(exact))))


def test_how_many_symbols_are_independent():
    """n (n² − 1)/3 of n³, counted where none is zero by chance: 112 of 343 for seven revolute joints."""
    case = case_of((False,) * 7)
    s, P = parts(case)
    values = np.abs(nested(composite.christoffel_of_composites(s, P))[..., 0])
    distinct = np.unique(np.round(values[values > 1e-9], 9))
    assert len(distinct) == 112 == 7 * (7**2 - 1) // 3


def test_the_velocity_product_is_that_of_the_literature():
    """Proves: X(11)

    B(I, v) = ½ [(v ×*) I − I (v ×) + (I v) ×̄*] as 6 × 6 matrices, and its transpose.
    """
    case = case_of((False, True, False))
    P = columns(chains.body_pseudo_inertia(case.at, 2).spatial_matrix(), (6, 6))[0]
    at = configuration(case.chain, case.q[:, 0])
    inertia = chains.body_pseudo_inertia(at, 2)
    random = rng(3)
    v, s, t = (twists.Twist(vec(x[:3]), vec(x[3:])) for x in random.normal(size=(3, 6)))
    six = lambda pair: np.array([float(x) for half in pair for x in half])
    motion = lambda x: (
        np.array([six(pair(x.cross(twists.Twist(vec(e[:3]), vec(e[3:]))))) for e in np.eye(6)]).T
    )
    pair = lambda x: (x.w, x.u) if isinstance(x, twists.Twist) else (x.moment, x.force)
    force = lambda x: -motion(x).T
    momentum = P @ six(pair(v))
    close(six(pair(inertia.momentum(v))), momentum)
    # (h ×̄*) x = x ×* h
    bar = np.array([force(twists.Twist(vec(e[:3]), vec(e[3:]))) @ momentum for e in np.eye(6)]).T
    B = (force(v) @ P - P @ motion(v) + bar) / 2
    found = twists.VelocityProduct.of(inertia, v)
    close(six(pair(found @ s)), B @ six(pair(s)))
    close(six(pair(found.transposed_times(s))), B.T @ six(pair(s)))
    close(t.power(found @ s), s.power(found.transposed_times(t)))
    close(six(pair(v.cross_dual(inertia.momentum(s)))), force(v) @ P @ six(pair(s)))


# ---- trees -----------------------------------------------------------------------------------------


def random_tree(seed, n):
    random = rng(200 + seed)
    parents = tuple(int(random.integers(-1, k)) for k in range(n))
    prismatic = tuple(bool(x) for x in random.random(n) <= 0.3)
    return replace(PointChain.random(random, prismatic), parents=parents), random


@pytest.mark.parametrize("seed", range(6))
def test_trees(seed):
    """Entries of joints on different branches are zero; the others are those of the chain through them."""
    truth, random = random_tree(seed, 3 + seed)
    q, dq = random.normal(size=(2, truth.n, BATCH))
    s, P = [], []
    for i in range(truth.n):
        path = truth.path(i)
        onwards = [truth.steps[k - 1] for k in path[1:]] + [np.zeros(3)]
        links = [
            Link.from_centre(
                truth.prismatic[k],
                vec(truth.axes[k]),
                vec(step),
                vec(truth.clouds[k].centre),
                truth.clouds[k].mass,
                tensor(truth.clouds[k].inertia(truth.clouds[k].centre)),
            )
            for k, step in zip(path, onwards, strict=True)
        ]
        # `step` of the truth: the first joint of the file stands in the origin, the other roots do not.
        start = truth.start if path[0] == 0 else truth.steps[path[0] - 1]
        at = configuration(Chain(links, vec(G), vec(start)), q[path])
        s.append(chains.joint_twist(at, len(path) - 1))
        P.append(chains.body_pseudo_inertia(at, len(path) - 1))
    placed = Placed(truth, q)
    Gamma = symbols(placed.metric_derivatives())
    close(nested(composite.metric_of_composites(s, P, truth.parents).rows), placed.metric())
    close(nested(composite.christoffel_of_composites(s, P, truth.parents)), Gamma)
    C = np.einsum("abc...,b...->ca...", Gamma, dq)
    close(nested(composite.coriolis_of_composites(s, P, dq, truth.parents).rows), C)
    gravity = np.array([-placed.potential(G, (gamma,)) for gamma in range(truth.n)])
    close(nested(composite.gravity_of_composites(s, P, vec(G), truth.parents)), gravity)
    h = np.einsum("ca...,a...->c...", C, dq) - gravity
    close(nested(composite.forces_of_composites(s, P, dq, truth.parents, gravity=vec(G))), h)


@pytest.mark.parametrize("parents", [(-1,), (-1, 0, 2), (0, -1, 1), (-1, -2, 0)])
def test_parents_that_are_no_tree_are_refused(parents):
    s, P = parts(case_of((False, True, False)))
    with pytest.raises(ArgumentError, match=r"(?s)do not describe a tree of 3.*To fix: .*stands before it"):
        composite.metric_of_composites(s, P, parents)


# ---- models of other shape ---------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_an_adapted_model_moves_as_the_model(seed):
    """Frames turned against each other, bodies' frames off their joints, joints that read not zero at the reference."""
    random = rng(300 + seed)
    n = 2 + seed
    prismatic = tuple(bool(x) for x in random.random(n) <= 0.4)
    turns = [
        rodrigues(a / np.linalg.norm(a), np.array(x))
        for a, x in zip(random.normal(size=(n, 3)), random.uniform(-3, 3, n), strict=True)
    ]
    truth = replace(
        PointChain.random(random, prismatic), placements=np.array(turns), start=random.normal(size=3)
    )
    readings = random.normal(size=n)
    fixed, joints = [], []
    for k, cloud in enumerate(truth.clouds):
        X_JB = Pose(Quaternion.from_rotation_vector(vec(random.normal(size=3))), vec(random.normal(size=3)))
        # The next joint is placed in frame B of this body; the truth places it in J.
        before = Pose.identity() if k == 0 else fixed[-1].inverse()
        step = truth.step(k)
        X_PJ = before @ Pose(Quaternion.from_matrix(Mat3.from_array(step[:3, :3])), vec(step[:3, 3]))
        body = Body(cloud.mass, vec(cloud.centre), tensor(cloud.inertia(cloud.centre))).in_frame(X_JB)
        joints.append(PlacedJoint(prismatic[k], X_PJ, vec(truth.axes[k]), body, X_JB, float(readings[k])))
        fixed.append(X_JB)
    tool = vec(random.normal(size=3))
    adapted = adapt(joints, vec(G), tool_B=tool)
    q = random.normal(size=(n, BATCH))
    at = configuration(adapted.chain, adapted.coordinates(q))
    placed = Placed(truth, q - readings[:, None])
    for k in range(n):
        X_WB = adapted.model_pose(at, k)
        X_WJ = X_WB @ fixed[k].inverse()
        close(X_WJ.p, placed.point(k, np.zeros(3)))
        close(X_WJ.q.to_matrix(), placed.turn(k))
    close(chains.tool_point(at), adapted.model_pose(at, n - 1).apply(tool))
    close(nested(chains.metric(at).rows), placed.metric())
    close(nested(chains.christoffel_symbols(at)), symbols(placed.metric_derivatives()))
    exact = np.array([-placed.potential(G, (gamma,)) for gamma in range(n)])
    close(nested(chains.gravity_forces(at)), exact)
    # Without a tool its vector is zero, and nothing else changes.
    plain = adapt(joints, vec(G))
    assert plain.chain.links[-1].rho_next == Vec3.zero()
    close(nested(chains.metric(configuration(plain.chain, plain.coordinates(q))).rows), placed.metric())


def test_pinocchio_has_the_same_numbers():
    """Mass matrix, bias, gravity and poses of a seven-joint arm with slides; another program's algorithms."""
    pin = pytest.importorskip("pinocchio")
    random = rng(400)
    model, joints = pin.Model(), []
    gravity = np.array([0.3, -0.5, -9.7])
    model.gravity.linear = gravity
    for k in range(7):
        slides = k in (2, 5)
        axis = random.normal(size=3)
        axis /= np.linalg.norm(axis)
        turn = Quaternion.from_rotation_vector(vec(random.normal(size=3)))
        place, centre, mass = random.normal(size=3), random.normal(size=3), float(random.uniform(0.5, 2))
        A = random.normal(size=(3, 3))
        J = A @ A.T + np.eye(3)
        joint = (pin.JointModelPrismaticUnaligned if slides else pin.JointModelRevoluteUnaligned)(axis)
        X = pin.SE3(turn.to_matrix().to_array(), place)
        model.addJoint(k, joint, X, f"joint {k + 1}")
        model.appendBodyToJoint(k + 1, pin.Inertia(mass, centre, J), pin.SE3.Identity())
        body = Body(mass, vec(centre), tensor(J))
        joints.append(PlacedJoint(slides, Pose(turn, vec(place)), vec(axis), body))
    data = model.createData()
    adapted = adapt(joints, vec(gravity))
    for q, dq, ddq in random.normal(size=(3, 3, 7)):
        at = configuration(adapted.chain, q.tolist())
        M = pin.crba(model, data, q)
        M = np.triu(M) + np.triu(M, 1).T
        close(np.array(chains.metric(at).rows), M)
        close(
            np.array(chains.actuator_forces(at, dq.tolist(), ddq.tolist())), pin.rnea(model, data, q, dq, ddq)
        )
        close(-np.array(chains.gravity_forces(at)), pin.computeGeneralizedGravity(model, data, q))
        C = chains.coriolis_matrix(chains.christoffel_symbols(at), dq.tolist())
        close(C, pin.computeCoriolisMatrix(model, data, q, dq))
        pin.forwardKinematics(model, data, q)
        for k in range(7):
            close(adapted.model_pose(at, k).p, data.oMi[k + 1].translation)
            close(adapted.model_pose(at, k).q.to_matrix(), data.oMi[k + 1].rotation)


BODY = Body(1.0, Vec3.zero(), SymMat3.identity())


@pytest.mark.parametrize(
    ("attempt", "says", "advises"),
    [
        (lambda: adapt([], vec(G)), "no joints", "one PlacedJoint for each body"),
        (lambda: adapt([BODY], vec(G)), "element of joints is", "PlacedJoint"),
        (lambda: PlacedJoint(False, np.eye(4), Vec3(0, 0, 1), BODY), "X_PJ is", "Pose"),
        (lambda: PlacedJoint(False, Pose.identity(), [0, 0, 1], BODY), "axis_J is", r"Vec3\.from_array"),
        (lambda: PlacedJoint(False, Pose.identity(), Vec3(0, 0, 1), 1.0), "body is 1.0", "Body"),
        (
            lambda: adapt([PlacedJoint(False, Pose.identity(), Vec3(0, 0, 1), BODY)], vec(G)).coordinates(
                [1, 2]
            ),
            "q has 2 elements.*1 joints",
            "one scalar",
        ),
    ],
)
def test_bad_input_is_answered_with_what_and_what_to_do(attempt, says, advises):
    with pytest.raises(ArgumentError, match=rf"(?s){says}.*To fix: .*{advises}"):
        attempt()
