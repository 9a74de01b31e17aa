"""The equations, each once, with its number in the docstring.

They are written over scalars: floats, columns, symbols, graph nodes. Nothing here imports NumPy,
`math` or a backend, and nothing branches on a scalar.
"""
