"""From text to object code, and from object code to a function that can be called."""

from __future__ import annotations

import threading
from typing import Any

from quatrain.compiler.llvm.target import Target

_LOCK = threading.Lock()


def binding() -> Any:
    """llvmlite's binding, ready for this machine."""
    import llvmlite.binding as llvm

    with _LOCK:  # both calls may be repeated, but not at once
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
    return llvm


def _machine(target: Target) -> Any:
    llvm = binding()
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=3, reloc="pic", codemodel="default"
    )


def _module(text: str, target: Target) -> Any:
    """The module after the few passes that its form needs: registers for loops' states, no dead functions."""
    llvm = binding()
    machine = _machine(target)
    module = llvm.parse_assembly(text, llvm.create_context())
    module.verify()
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options())
    passes = llvm.create_new_module_pass_manager()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(module, builder)
    return machine, module


def object_code(text: str, target: Target) -> bytes:
    """Relocatable object code of a module, for the processor it is meant for."""
    machine, module = _module(text, target)
    return bytes(machine.emit_object(module))


def assembly(text: str, target: Target) -> str:
    """The same as assembly, for people."""
    machine, module = _module(text, target)
    return str(machine.emit_assembly(module))


class Loaded:
    """Object code in memory; it stays as long as this object does."""

    def __init__(self, code: bytes, symbol: str = "kernel") -> None:
        llvm = binding()
        host = Target.host()
        machine = llvm.Target.from_triple(host.triple).create_target_machine(codemodel="jitdefault")
        # In the context of the process: one of its own might be disposed of first, if the garbage collector
        # takes both at once, and the engine still needs it then.
        empty = llvm.parse_assembly("", llvm.get_global_context())
        self._engine = llvm.create_mcjit_compiler(empty, machine)
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        self.address = int(self._engine.get_function_address(symbol))
        if not self.address:
            raise RuntimeError(f"the object code has no function {symbol!r}")
