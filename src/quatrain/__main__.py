"""`python -m quatrain` is the command `quatrain`."""

from __future__ import annotations

from quatrain.cli import main

if __name__ == "__main__":
    main()
