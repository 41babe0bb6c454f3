#!/usr/bin/env python3
"""A small Llama in PyTorch with some of its operators replaced by ours: tokens a second beside the original.

    examples/torch_llama.py [--tokens N] [--sequences N] [--size small|medium] [--layers N] [--device cpu|cuda]

The model is made from a configuration as Hugging Face's are, with random weights from a seed. `replaced(model)` exchanges what
modules do by operators of `torch.ops.ptxgen`: RMSNorm by `rms_norm`, the MLP's silu(gate) * up by `swiglu`, and attention of
single tokens over the cache by `attention_decode`. For torch.compile, which joins norms and products of elements with what is
beside them, `replaced(model, FOR_COMPILER)` exchanges attention and linear layers, by `matmul`. Everything else, names of weights
included, stays as it is; norm, MLP and linear layers have the names of `transformers`, where the same works. Tokens are drawn
greedily, one a step, over a cache of keys and values of a fixed size. Both models run as they are, compiled, and on a GPU as a
CUDA graph of either.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch
from torch import nn
from torch.nn import functional as F

import ptxgen.torch  # noqa: F401  # torch.ops.ptxgen


class Config(NamedTuple):
    """The names are those of `LlamaConfig`."""

    hidden_size: int = 64
    intermediate_size: int = 128
    num_hidden_layers: int = 2
    num_attention_heads: int = 4
    num_key_value_heads: int = 2
    vocab_size: int = 96
    rms_norm_eps: float = 1e-6
    rope_theta: float = 10_000.0

    @property
    def head_dim(self) -> int:
        return self.hidden_size // self.num_attention_heads


SIZES = {
    "tiny": Config(),
    "small": Config(1024, 2816, 8, 16, 4, 32_000),
    "medium": Config(4096, 14_336, 8, 32, 8, 32_000),  # layers as those of Llama 3 8B
}


class LlamaRMSNorm(nn.Module):  # type: ignore[misc]
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(config.hidden_size))
        self.variance_epsilon = config.rms_norm_eps

    def forward(self, x: Any) -> Any:
        wide = x.float()
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.variance_epsilon)
        return self.weight * wide.to(x.dtype)


class LlamaMLP(nn.Module):  # type: ignore[misc]
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)

    def forward(self, x: Any) -> Any:
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class LlamaAttention(nn.Module):  # type: ignore[misc]
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.heads, self.kv_heads, self.d = config.num_attention_heads, config.num_key_value_heads, config.head_dim
        self.q_proj = nn.Linear(config.hidden_size, self.heads * self.d, bias=False)
        self.k_proj = nn.Linear(config.hidden_size, self.kv_heads * self.d, bias=False)
        self.v_proj = nn.Linear(config.hidden_size, self.kv_heads * self.d, bias=False)
        self.o_proj = nn.Linear(self.heads * self.d, config.hidden_size, bias=False)

    def forward(self, x: Any, cos: Any, sin: Any, cache: tuple[Any, Any], places: Any, seen: Any) -> Any:
        batch, length, _ = x.shape
        q, k, v = (
            project(x).view(batch, length, -1, self.d).transpose(1, 2)
            for project in (self.q_proj, self.k_proj, self.v_proj)
        )
        q, k = (turned(each, cos, sin) for each in (q, k))
        keys, values = cache
        keys.index_copy_(2, places, k)
        values.index_copy_(2, places, v)
        found = self.attend(q, keys, values, places, seen)
        return self.o_proj(found.transpose(1, 2).reshape(batch, length, -1))

    def attend(self, q: Any, keys: Any, values: Any, places: Any, seen: Any) -> Any:
        """Of queries (batch, heads, length, d) over a cache (batch, kv_heads, room, d), where each sees what is `seen`."""
        return F.scaled_dot_product_attention(q, keys, values, attn_mask=seen, enable_gqa=True)


def turned(x: Any, cos: Any, sin: Any) -> Any:
    """Rotary positions: pairs of elements j and j + d/2."""
    low, high = x.chunk(2, -1)
    return torch.cat([low * cos - high * sin, high * cos + low * sin], -1)


class LlamaLayer(nn.Module):  # type: ignore[misc]
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.self_attn, self.mlp = LlamaAttention(config), LlamaMLP(config)
        self.input_layernorm, self.post_attention_layernorm = LlamaRMSNorm(config), LlamaRMSNorm(config)

    def forward(self, x: Any, *state: Any) -> Any:
        x = x + self.self_attn(self.input_layernorm(x), *state)
        return x + self.mlp(self.post_attention_layernorm(x))


class Llama(nn.Module):  # type: ignore[misc]
    """Logits of the last of some tokens, whose places in the sequences are `places`; `cache` has keys and values of a layer."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList(LlamaLayer(config) for _ in range(config.num_hidden_layers))
        self.norm = LlamaRMSNorm(config)
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)

    def forward(self, tokens: Any, places: Any, cache: list[tuple[Any, Any]]) -> Any:
        x = self.embed_tokens(tokens)
        steps = torch.arange(0, self.config.head_dim, 2, device=x.device) / self.config.head_dim
        angles = places[:, None] * self.config.rope_theta**-steps
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        seen = torch.arange(cache[0][0].shape[2], device=x.device) <= places[:, None]
        for layer, kept in zip(self.layers, cache):
            x = layer(x, cos, sin, kept, places, seen)
        return self.lm_head(self.norm(x[:, -1]))

    def new_cache(self, batch: int, room: int) -> list[tuple[Any, Any]]:
        weight, room = self.lm_head.weight, -(-room // 64) * 64
        shape = (batch, self.config.num_key_value_heads, room, self.config.head_dim)
        return [(weight.new_zeros(shape), weight.new_zeros(shape)) for _ in self.layers]


def make_model(config: Config, device: str, dtype: Any, seed: int = 0) -> Llama:
    """Random weights, the same for the same seed."""
    torch.manual_seed(seed)
    model: Any = Llama(config).to(device, dtype).eval()
    for name, weight in model.named_parameters():
        if weight.dim() == 2 and "embed" not in name:
            nn.init.normal_(weight, std=weight.shape[1] ** -0.5)
    return model  # type: ignore[no-any-return]


# --- ours in their place ------------------------------------------------------------------------------------------------


def our_norm(self: Any, x: Any) -> Any:
    return torch.ops.ptxgen.rms_norm(x, self.weight, self.variance_epsilon)


def our_mlp(self: Any, x: Any) -> Any:
    return self.down_proj(torch.ops.ptxgen.swiglu(self.gate_proj(x), self.up_proj(x)))


def our_attention(self: Any, q: Any, keys: Any, values: Any, places: Any, seen: Any) -> Any:
    """Each sequence is one page of the cache. Other types and lengths are the original's."""
    if q.shape[2] != 1 or q.dtype not in (torch.bfloat16, torch.float16):
        return type(self).attend(self, q, keys, values, places, seen)
    batch = q.shape[0]
    table = torch.arange(batch, dtype=torch.int32, device=q.device)[:, None]
    lengths = seen.sum(-1, dtype=torch.int32).expand(batch).contiguous()
    found = torch.ops.ptxgen.attention_decode(q.transpose(1, 2).contiguous(), keys, values, table, lengths, "HND")
    return found.transpose(1, 2)


def our_linear(self: Any, x: Any) -> Any:
    """The head is left to the original: a product with so many columns is no better by ours."""
    if self.bias is not None or self.out_features > WIDEST:
        return type(self).forward(self, x)
    rows = x.reshape(-1, self.in_features)
    found = torch.ops.ptxgen.matmul(rows, self.weight.mT, x.dtype == torch.float32)
    return found.view(*x.shape[:-1], self.out_features)


WIDEST = 16_384
"""Columns of a linear layer that is exchanged."""

OURS: dict[str, tuple[str, Callable[..., Any]]] = {
    "LlamaRMSNorm": ("forward", our_norm), "LlamaMLP": ("forward", our_mlp), "LlamaAttention": ("attend", our_attention),
    "Linear": ("forward", our_linear),
}  # fmt: skip
"""By the name of a module's class: which of its methods is exchanged, and by what."""

AS_IT_IS = ("LlamaRMSNorm", "LlamaMLP", "LlamaAttention")
FOR_COMPILER = ("LlamaAttention", "Linear")


def replaced(model: Any, kinds: Sequence[str] = AS_IT_IS) -> Any:
    """The model with our operators in modules of these kinds; its weights are what they were."""
    for module in model.modules():
        kind = type(module).__name__
        if kind in kinds:
            method, ours = OURS[kind]
            setattr(module, method, ours.__get__(module))
    return model


# --- tokens -------------------------------------------------------------------------------------------------------------


@torch.inference_mode()  # type: ignore[untyped-decorator]
def generate(model: Any, step: Callable[..., Any], prompt: Any, count: int, graphed: bool = False) -> tuple[Any, float]:
    """(the tokens behind a prompt (batch, length), each the likeliest; the seconds of all steps but the first three). `graphed`:
    those are one CUDA graph, launched again and again."""
    batch, length = prompt.shape
    cache = model.new_cache(batch, length + count)
    wait = torch.cuda.synchronize if prompt.is_cuda else lambda: None
    token = model(prompt, torch.arange(length, device=prompt.device), cache).argmax(-1, keepdim=True)
    place = torch.tensor([length], device=prompt.device)
    found = prompt.new_empty(batch, count)
    found[:, :1] = token

    def one() -> None:
        token.copy_(step(token, place, cache).argmax(-1, keepdim=True))
        place.add_(1)

    run, began = one, 0.0
    for index in range(1, count):
        if index == WARM_UP:
            if graphed:
                graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(graph):
                    one()
                run = graph.replay
            wait()
            began = time.perf_counter()
        run()
        found[:, index : index + 1] = token
    wait()
    return found, time.perf_counter() - began


WARM_UP = 4
"""Tokens that are not measured: of the prompt, and of the first steps, which load and compile."""


def compare(
    config: Config, device: str, dtype: Any, batch: int, prompt: int, count: int
) -> Iterator[tuple[str, Any, float]]:
    """(a way, its tokens, tokens a second) of each, as it is measured."""
    torch.manual_seed(1)
    tokens = torch.randint(0, config.vocab_size, (batch, prompt), device=device)
    how = {"backend": "aot_eager"} if device == "cpu" else {}  # on a GPU by Triton
    for name in ("original", "ours"):
        for compiled, kinds in (("", AS_IT_IS), (", torch.compile", FOR_COMPILER)):
            model = make_model(config, device, dtype)
            model = replaced(model, kinds) if name == "ours" else model
            step = torch.compile(model, fullgraph=True, **how) if compiled else model
            for graphed in (False, True) if device == "cuda" else (False,):
                generate(model, step, tokens, WARM_UP)  # compiles, and loads kernels
                written, seconds = generate(model, step, tokens, count, graphed)
                way = f"{name}{compiled}{', CUDA graph' if graphed else ''}"
                yield way, written, batch * max(count - WARM_UP, 1) / seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--tokens", type=int, default=64, help="to write, 5 or more")
    parser.add_argument("--sequences", type=int, default=8)
    parser.add_argument("--prompt", type=int, default=16, help="its length")
    parser.add_argument("--size", choices=SIZES, help="of the model")
    parser.add_argument("--layers", type=int, help="of the model, in place of its own")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()
    on_gpu = options.device == "cuda"
    config, dtype = SIZES[options.size or ("small" if on_gpu else "tiny")], torch.bfloat16 if on_gpu else torch.float32
    config = config._replace(num_hidden_layers=options.layers or config.num_hidden_layers)
    first: tuple[Any, float] | None = None
    for name, tokens, speed in compare(
        config, options.device, dtype, options.sequences, options.prompt, options.tokens
    ):
        first = first or (tokens, speed)
        same = (tokens == first[0]).float().mean().item()
        print(
            f"{name:36} {speed:8.0f} tokens a second, {speed / first[1]:5.2f} of the original's; {same:.0%} the same tokens"
        )


if __name__ == "__main__":
    main()
