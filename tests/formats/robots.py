"""A small robot with a little of everything."""

ROBOT = """<?xml version="1.0"?>
<robot name="r">
  <material name="blue"><color rgba="0 0 1 1"/></material>
  <link name="base"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="arm">
    <inertial><origin xyz="0 0 0.1" rpy="0 0.5 0"/><mass value="2"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><cylinder radius="0.1" length="1"/></geometry><material name="blue"/></visual>
    <collision><origin xyz="1 0 0"/><geometry><mesh filename="package://r/a.stl" scale="1 1 1"/></geometry></collision>
  </link>
  <link name="hand"/><link name="finger"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 1" rpy="0 0 1.57"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="10" velocity="2"/>
    <dynamics damping="0.1" friction="0.2"/></joint>
  <joint name="wrist" type="fixed"><parent link="arm"/><child link="hand"/></joint>
  <joint name="grip" type="prismatic"><parent link="hand"/><child link="finger"/><limit lower="0" upper="1" effort="1"
    velocity="1"/><mimic joint="shoulder" multiplier="0.5" offset="0.01"/></joint>
  <transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="shoulder"/>
    <actuator name="motor"><mechanicalReduction>50</mechanicalReduction></actuator></transmission>
</robot>
"""
