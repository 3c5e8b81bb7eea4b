"""The network, as llama.cpp's `lfm2` computes it: short convolutions and grouped-query attention in turn."""

import math
import torch

DIM, FF, HEADS, KV, HEAD, KERNEL, LAYERS = 192, 512, 6, 2, 32, 3, 6
EPS, THETA, CONTEXT = 1e-5, 1e4, 4096
ATTENTION = [i % 2 == 1 for i in range(LAYERS)]


def shapes(vocab):
    """Tensor name in the model file -> shape (rows, columns)."""
    out = {"token_embd": (vocab, DIM), "token_embd_norm": (DIM,)}
    for i in range(LAYERS):
        b = f"blk.{i}."
        out[b + "attn_norm"], out[b + "ffn_norm"] = (DIM,), (DIM,)
        if ATTENTION[i]:
            out |= {
                b + "attn_q": (DIM, DIM),
                b + "attn_k": (KV * HEAD, DIM),
                b + "attn_v": (KV * HEAD, DIM),
                b + "attn_output": (DIM, DIM),
                b + "attn_q_norm": (HEAD,),
                b + "attn_k_norm": (HEAD,),
            }
        else:
            out |= {
                b + "shortconv.in_proj": (3 * DIM, DIM),
                b + "shortconv.conv": (DIM, KERNEL),
                b + "shortconv.out_proj": (DIM, DIM),
            }
        out |= {b + "ffn_gate": (FF, DIM), b + "ffn_up": (FF, DIM), b + "ffn_down": (DIM, FF)}
    return out


def initial(name, shape):
    if name.endswith("norm"):
        return torch.ones(shape)
    if name.endswith("conv"):
        w = torch.randn(shape) * 0.1
        w[:, -1] += 0.6
        return w
    if name == "token_embd":
        return torch.randn(shape) * 0.04
    scale = 0.5 / math.sqrt(shape[1])
    if name.endswith(("ffn_down", "attn_output", "out_proj")):
        scale /= math.sqrt(2 * LAYERS)
    return torch.randn(shape) * scale


def norm(x, w):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + EPS) * w


class Rope:
    def __init__(self, length):
        f = THETA ** (-torch.arange(0, HEAD, 2).float() / HEAD)
        a = torch.arange(length).float()[:, None] * f
        self.cos, self.sin = a.cos(), a.sin()

    def __call__(self, x):
        """x: [batch, time, heads, HEAD]; the two halves of a head are a number's parts."""
        c, s = self.cos[: x.shape[1], None], self.sin[: x.shape[1], None]
        a, b = x[..., : HEAD // 2], x[..., HEAD // 2 :]
        return torch.cat([a * c - b * s, a * s + b * c], -1)


def product(a, b, half):
    """a @ b; with `half` as bfloat16, which is six times as fast where the CPU has matrix tiles (AMX)."""
    return (a.bfloat16() @ b.bfloat16()).float() if half else a @ b


def hidden(p, ids, doc, rope, half=False):
    """ids, doc: [batch, time]; nothing passes from one doc to another. Returns [batch, time, DIM]."""
    B, T = ids.shape
    x = torch.nn.functional.embedding(ids, p["token_embd"])
    allowed = (doc[:, :, None] == doc[:, None, :]) & torch.ones(T, T, dtype=torch.bool).tril()
    bias = torch.zeros(B, 1, 1, T, T).masked_fill_(~allowed[:, None, None], -1e9)
    times = lambda a, b: product(a, b, half)
    one = (doc[:, 1:] == doc[:, :-1]).float()[..., None]
    two = (doc[:, 2:] == doc[:, :-2]).float()[..., None]
    for i in range(LAYERS):
        b = f"blk.{i}."
        h = norm(x, p[b + "attn_norm"])
        if ATTENTION[i]:
            q = rope(norm(times(h, p[b + "attn_q"].T).view(B, T, HEADS, HEAD), p[b + "attn_q_norm"]))
            k = rope(norm(times(h, p[b + "attn_k"].T).view(B, T, KV, HEAD), p[b + "attn_k_norm"]))
            v = times(h, p[b + "attn_v"].T).view(B, T, KV, HEAD)
            q = q.view(B, T, KV, HEADS // KV, HEAD).permute(0, 2, 3, 1, 4)
            k, v = k.permute(0, 2, 3, 1)[:, :, None], v.permute(0, 2, 1, 3)[:, :, None]
            a = torch.softmax(times(q * HEAD**-0.5, k) + bias, -1)
            h = times(times(a, v).permute(0, 3, 1, 2, 4).reshape(B, T, DIM), p[b + "attn_output"].T)
        else:
            gate, out, val = times(h, p[b + "shortconv.in_proj"].T).split(DIM, -1)
            u, w = gate * val, p[b + "shortconv.conv"]
            y = u * w[:, 2]
            y = y + torch.nn.functional.pad(u[:, :-1] * one, (0, 0, 1, 0)) * w[:, 1]
            y = y + torch.nn.functional.pad(u[:, :-2] * two, (0, 0, 2, 0)) * w[:, 0]
            h = times(out * y, p[b + "shortconv.out_proj"].T)
        x = x + h
        h = norm(x, p[b + "ffn_norm"])
        gated = torch.nn.functional.silu(times(h, p[b + "ffn_gate"].T)) * times(h, p[b + "ffn_up"].T)
        x = x + times(gated, p[b + "ffn_down"].T)
    return norm(x, p["token_embd_norm"])


def loss_sum(p, ids, doc, target, rope, half=False):
    """target: [batch, time], -1 where there is none. Returns (sum of losses, number of targets)."""
    at = target.reshape(-1) >= 0
    h = hidden(p, ids, doc, rope, half).reshape(-1, DIM)[at]
    want = target.reshape(-1)[at]
    return torch.nn.functional.cross_entropy(h @ p["token_embd"].T, want, reduction="sum"), len(want)
