"""Keys of cached programs: blake2b over a domain and every part, each with its length."""

from __future__ import annotations

from hashlib import blake2b

__all__ = ["CONTRACT", "RAW_PTX_DOMAIN", "SOURCE_DOMAIN", "digest", "module_key", "source_key"]

CONTRACT = "ptxgen.runtime.program.v1"
"""Changes with the kernel ABI: pointers of the bindings in their order, then that of the parameter words."""

SOURCE_DOMAIN = "ptxgen-ptx-source-key.v1"
RAW_PTX_DOMAIN = "ptxgen-raw-ptx-artifact.v1"


def digest(domain: str, *parts: object) -> str:
    """64 hexadecimal digits. No two lists of parts have one key: each is counted with its length."""
    state = blake2b(digest_size=32)
    for part in (domain, *parts):
        data = part if isinstance(part, bytes) else str(part).encode()
        state.update(len(data).to_bytes(8, "little"))
        state.update(data)
    return state.hexdigest()


def source_key(program: str, target: str, warp_size: int, policy: str, features: tuple[str, ...]) -> str:
    """The key of a program's PTX: the contract, the program, how it is dispatched, what the device has, its target."""
    return digest(SOURCE_DOMAIN, CONTRACT, program, policy, ",".join(features), target, warp_size)


def module_key(ptx: str, capability: tuple[int, int]) -> str:
    """The key of loaded code: its text, and the device's compute capability."""
    return digest(RAW_PTX_DOMAIN, ptx, *capability)
