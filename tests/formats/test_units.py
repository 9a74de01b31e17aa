"""Slips of units: what looks wrong beside the size of a body, with its line; and what does not."""

from __future__ import annotations

import pytest

from quatrain.loading import load_model

ARM = """<robot name="arm"><link name="base"/>
<link name="arm"><inertial><origin xyz="{com}"/><mass value="{mass}"/><inertia ixx="{I}" iyy="{I}" izz="{I}"/>
</inertial><collision><geometry><box size="0.1 0.1 0.4"/></geometry></collision></link>
<joint name="j" type="continuous"><origin xyz="0 0 0.3"/><parent link="base"/><child link="arm"/></joint></robot>"""

STEEL = {"com": "0 0 0.1", "mass": "31", "I": "0.4"}


def told(**changed):
    _, report = load_model(ARM.format(**STEEL | changed))
    assert all(finding.place.line == 2 for finding in report.of("units"))
    return "\n".join(finding.what for finding in report.of("units"))


def test_a_block_of_steel_is_as_it_should_be():
    assert told() == ""
    assert told(mass="0.05", I="1e-3") == ""  # of foam
    assert told(mass="0") == ""


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"mass": "31000000"}, "body 'arm': its mass is 3.1e+07 kg, and its shapes enclose 0.004 m³"),
        ({"mass": "0.00003"}, "body 'arm': its mass is 3e-05 kg, and its shapes enclose 0.004 m³"),
        ({"I": "400000"}, "its radius of gyration is 114 m, and the machine about 0.424 m large"),
        ({"I": "4e-10"}, "its radius of gyration is 3.59e-06 m, and its shapes are 0.424 m large"),
        ({"com": "0 0 100"}, "its centre of mass is 99.8 m outside its shapes, which are 0.424 m large"),
    ],
)
def test_slips_are_told(changed, message):
    assert message in told(**changed)


def test_without_shapes_the_machine_is_as_large_as_its_joints_are_apart():
    text = ARM.format(**STEEL | {"I": "1000000"})
    text = text.replace('<collision><geometry><box size="0.1 0.1 0.4"/></geometry></collision>', "")
    _, report = load_model(text)
    (finding,) = report.of("units")
    assert "its radius of gyration is 180 m, and the machine about 0.3 m large" in finding.what


def test_of_a_mesh_the_size_is_not_known():
    text = ARM.format(**STEEL | {"com": "0 0 100"}).replace(
        '<box size="0.1 0.1 0.4"/>', '<mesh filename="a.stl"/>'
    )
    _, report = load_model(text)
    assert report.of("units") == ()


def test_a_turned_shape_reaches_where_it_does():
    turned = '<collision><origin rpy="0 1.5707963267948966 0"/>'
    text = ARM.format(**STEEL | {"com": "1.4 0 0"})
    assert load_model(text)[1].of("units") != ()
    assert load_model(text.replace("<collision>", turned))[1].of("units") == ()
