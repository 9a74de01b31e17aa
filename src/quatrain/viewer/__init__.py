"""To see a model and its motion. It knows models, trajectories and the equations of poses, and no kernel.

scene.py   what is drawn of a model     mesh.py, tessellation.py, mesh_files.py   triangles, of shapes and from files
motion.py  what of a run is shown       packing.py, page/   a page of its own: three.js, our scripts, the data
live.py, live_panels.py   a viewer that Python drives
pictures.py, raster.py    pictures and films, on NumPy
"""
