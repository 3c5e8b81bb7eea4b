"""Writes the model file: `gguf.py TOKENIZER CHECKPOINT OUT [f32]`; matrices as q8_0, the rest as F32."""

import struct, sys
import numpy as np
import net
from render import SPECIALS, TEMPLATE
from tokens import Tokenizer

ALIGN = 32
U32, I32, F32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9
NORMAL, CONTROL, USER_DEFINED, UNUSED = 1, 3, 4, 5
TYPE_F32, TYPE_Q8_0 = 0, 8


def text(s):
    b = s.encode()
    return struct.pack("<Q", len(b)) + b


def scalar(kind, v):
    return text(v) if kind == STRING else struct.pack({U32: "<I", I32: "<i", F32: "<f", BOOL: "<?"}[kind], v)


def field(key, kind, value):
    if isinstance(value, list):
        return (
            text(key)
            + struct.pack("<IIQ", ARRAY, kind, len(value))
            + b"".join(scalar(kind, v) for v in value)
        )
    return text(key) + struct.pack("<I", kind) + scalar(kind, value)


def q8_0(w):
    """Blocks of 32 numbers: a half-precision scale, then 32 signed bytes."""
    blocks = w.astype(np.float32).reshape(-1, 32)
    scale = np.abs(blocks).max(1, keepdims=True) / 127
    inverse = np.divide(1, scale, out=np.zeros_like(scale), where=scale > 0)
    codes = np.rint(blocks * inverse).astype(np.int8)
    return np.concatenate([scale.astype("<f2").view(np.uint8), codes.view(np.uint8)], 1).tobytes()


def token_type(t):
    if t in ("<|pad|>", "<|im_start|>", "<|im_end|>"):
        return CONTROL
    return USER_DEFINED if t in SPECIALS else UNUSED if t.startswith("<|unused") else NORMAL


def fields(tok):
    kv = [net.KV if a else 0 for a in net.ATTENTION]
    a = "lfm2."
    return [
        field("general.architecture", STRING, "lfm2"),
        field("general.name", STRING, "warmturn demo"),
        field("general.file_type", U32, 7),
        field("general.quantization_version", U32, 2),
        field("general.license", STRING, "mit"),
        field(a + "block_count", U32, net.LAYERS),
        field(a + "context_length", U32, net.CONTEXT),
        field(a + "embedding_length", U32, net.DIM),
        field(a + "feed_forward_length", U32, net.FF),
        field(a + "attention.head_count", U32, net.HEADS),
        field(a + "attention.head_count_kv", U32, kv),
        field(a + "attention.key_length", U32, net.HEAD),
        field(a + "attention.value_length", U32, net.HEAD),
        field(a + "rope.dimension_count", U32, net.HEAD),
        field(a + "rope.freq_base", F32, net.THETA),
        field(a + "attention.layer_norm_rms_epsilon", F32, net.EPS),
        field(a + "vocab_size", U32, len(tok.tokens)),
        field(a + "shortconv.l_cache", U32, net.KERNEL),
        field("tokenizer.ggml.model", STRING, "gpt2"),
        field("tokenizer.ggml.pre", STRING, "llama-bpe"),
        field("tokenizer.ggml.tokens", STRING, tok.tokens),
        field("tokenizer.ggml.token_type", I32, [token_type(t) for t in tok.tokens]),
        field("tokenizer.ggml.merges", STRING, [" ".join(m) for m in tok.merges]),
        field("tokenizer.ggml.add_bos_token", BOOL, False),
        field("tokenizer.ggml.add_eos_token", BOOL, False),
        field("tokenizer.ggml.bos_token_id", U32, tok.id["<|im_start|>"]),
        field("tokenizer.ggml.eos_token_id", U32, tok.id["<|im_end|>"]),
        field("tokenizer.ggml.padding_token_id", U32, tok.id["<|pad|>"]),
        field("tokenizer.chat_template", STRING, TEMPLATE),
    ]


def write(tok, flat, out, plain=False):
    infos, data, at, start = b"", b"", 0, 0
    layout = net.shapes(len(tok.tokens))
    for name, shape in layout.items():
        size = int(np.prod(shape))
        w = flat[start : start + size].reshape(shape)
        start += size
        small = plain or len(shape) == 1 or name.endswith("conv")
        raw = w.astype("<f4").tobytes() if small else q8_0(w)
        raw += b"\0" * (-len(raw) % ALIGN)
        infos += (
            text(name + ".weight")
            + struct.pack("<I", len(shape))
            + struct.pack(f"<{len(shape)}Q", *reversed(shape))
            + struct.pack("<IQ", TYPE_F32 if small else TYPE_Q8_0, at)
        )
        data += raw
        at += len(raw)
    meta = fields(tok)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(layout), len(meta)) + b"".join(meta) + infos
    open(out, "wb").write(head + b"\0" * (-len(head) % ALIGN) + data)


def q8_0_numbers(raw):
    """What `q8_0` wrote, as numbers."""
    blocks = np.frombuffer(raw, np.uint8).reshape(-1, 34)
    scale = np.ascontiguousarray(blocks[:, :2]).view("<f2").astype(np.float32)
    return (np.ascontiguousarray(blocks[:, 2:]).view(np.int8) * scale).reshape(-1)


def weights(tok, file):
    """The numbers of a file that `write` wrote for this tokenizer, one tensor behind the other."""
    data, layout = open(file, "rb").read(), net.shapes(len(tok.tokens))
    sizes = []
    for name, shape in layout.items():
        size = int(np.prod(shape))
        small = len(shape) == 1 or name.endswith("conv")
        sizes.append((size, small, size * 4 if small else size // 32 * 34))
    at = len(data) - sum(n + -n % ALIGN for _, _, n in sizes)
    out = []
    for size, small, n in sizes:
        raw = data[at : at + n]
        out.append(np.frombuffer(raw, "<f4") if small else q8_0_numbers(raw))
        at += n + -n % ALIGN
    return np.concatenate(out)


if __name__ == "__main__":
    import torch

    write(
        Tokenizer.load(sys.argv[1]), torch.load(sys.argv[2])["flat"].numpy(), sys.argv[3], len(sys.argv) > 4
    )
