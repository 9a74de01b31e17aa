"""What the processor has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

SIZES = {"float64": 8, "float32": 4}
TYPES = {"float64": "double", "float32": "float"}

# Feature of the processor -> bytes in a vector register; the first that is there counts.
_REGISTERS = (("avx512f", 64), ("avx", 32), ("sse2", 16), ("neon", 16))


@dataclass(frozen=True)
class Target:
    """A processor to compile for."""

    triple: str
    cpu: str
    features: str
    """In LLVM's notation, +avx2,-fma …; they and not only the processor's name, which a virtual machine may belie."""
    register_bytes: int
    fma: bool

    @classmethod
    def host(cls) -> Target:
        """The processor that this runs on."""
        from quatrain.compiler.llvm.machine import binding

        llvm = binding()
        features: Any = llvm.get_host_cpu_features()
        has = {name for name, present in features.items() if present}
        triple = str(llvm.get_process_triple())
        if triple.startswith(("aarch64", "arm64")):
            has |= {"neon", "fma"}  # every 64-bit ARM has both
        size = next((size for name, size in _REGISTERS if name in has), 16)
        return cls(triple, str(llvm.get_host_cpu_name()), str(features.flatten()), size, "fma" in has)

    @classmethod
    def portable(cls, triple: str) -> Target:
        """Nothing beyond what every processor of the architecture has."""
        return cls(triple, "", "", 16, False)

    @property
    def registers(self) -> int:
        """How many vector registers there are: AVX-512 and ARM have 32."""
        return 32 if self.register_bytes == 64 or self.triple.startswith(("aarch64", "arm64")) else 16

    def width(self, dtype: str) -> int:
        """Lanes of a vector."""
        return self.register_bytes // SIZES[dtype]
