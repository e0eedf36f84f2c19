"""Every Triton kernel becomes machine code for an H200 here, without one: the interpreter knows more Python than the
compiler does.
"""

from __future__ import annotations

import importlib
import importlib.util

import pytest

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="triton is not installed"),
    pytest.mark.filterwarnings("ignore:TRITON_DEFAULT_FP_FUSION:UserWarning"),
]

KERNELS = {
    "star._triton_pairs": ("find_tops", "forward", "backward"),
    "star._triton_hubs": ("forward", "backward"),
    "star._triton_hub_order": (
        "gather_rows", "settle", "find_tops", "weigh_sources", "weigh_readers", "gather_channels", "sum_chunks",
        "sum_top_chunks",
    ),
    "star._triton_edges": ("join", "receive", "join_backward"),
    "node._triton_weights": ("sum_segments", "join_segments", "weigh"),
    "node._triton_sums": ("sum_rows", "to_edges", "to_far_nodes", "sum_through", "to_logits", "sum_ends"),
    "_triton_segments": ("_sum_segments", "sum_parts"),
}  # fmt: skip
CONSTANTS = {
    "K": 8, "F": 4, "FP": 4, "KB": 8, "ROWS": 16, "WIDTH": 8, "SLOPE": 0.2, "BLOCK": 128, "CHUNK": 8, "BY_EDGE": True,
    "BY_INCIDENCE": False, "HAS_NODE": True, "ELU": True, "SIGNED": True, "own": None, "d_own": None, "tail": None,
}  # fmt: skip
ROWS = {
    "ptr", "edge", "node", "home", "partner", "other", "slot", "ends", "small", "group_star", "group_row", "arg",
    "row", "hub", "hub_ptr", "hub_node", "chunk_hub", "chunk_start", "chunk_ptr", "place", "place_x", "place_y",
    "order", "start", "end", "part", "cut", "part_ptr", "index", "logit_row",
}  # fmt: skip
DOUBLES = {"until", "until_x", "until_y", "until_top", "sums", "parts", "lse"}
LONGS = {"by_value", "sortable"}
NUMBERS = {"n", "M", "P", "H", "STEPS", "QS", "KS", "VS", "GS", "OS", "ES", "RS", "PS", "stride"}


def type_of(name: str) -> str:
    if name in CONSTANTS:
        return "constexpr"
    if name in NUMBERS:
        return "i32"
    tables = {"*i32": ROWS, "*fp64": DOUBLES, "*i64": LONGS}
    return next((kind for kind, names in tables.items() if name in names), "*fp32")


@pytest.mark.parametrize(("module", "name"), [(m, name) for m, names in KERNELS.items() for name in names])
def test_a_gpu_understands(module, name, tmp_path, monkeypatch):
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    kernel = getattr(importlib.import_module(f"edgegat.ops.{module}"), name)
    signature = {argument: type_of(argument) for argument in kernel.arg_names}
    constants = {
        (at,): CONSTANTS[argument] for at, argument in enumerate(kernel.arg_names) if argument in CONSTANTS
    }
    source = ASTSource(fn=kernel, signature=signature, constexprs=constants)
    compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32))
    assert name in compiled.asm["ptx"]
    assert compiled.asm["cubin"]


@pytest.mark.parametrize("module", KERNELS)
def test_no_kernel_is_forgotten(module):
    """Functions that kernels share return something, or are called ``store_...`` or ``end_...``."""
    from triton.runtime.jit import JITFunction

    found = vars(importlib.import_module(f"edgegat.ops.{module}"))
    here = [f for f in found.values() if isinstance(f, JITFunction) and f.fn.__module__.endswith(module)]
    names = {f.fn.__name__ for f in here if "    return " not in f.src}
    assert {name for name in names if not name.startswith(("store_", "end_"))} == set(KERNELS[module])
