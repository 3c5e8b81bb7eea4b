"""Greedy replies by the training code, to compare with a server's: `reply.py TOKENIZER CHECKPOINT USER_TEXT...`."""

import sys
import torch
from net import Rope, hidden, shapes
from tokens import Tokenizer


def weights(tok, flat):
    out, at = {}, 0
    for name, shape in shapes(len(tok.tokens)).items():
        size = torch.Size(shape).numel()
        out[name] = flat[at : at + size].view(shape)
        at += size
    return out


def reply(tok, params, prompt, most=120):
    """prompt: text as the template prints it. Returns the reply's text with its special tokens."""
    ids, start, rope = tok.encode(prompt), len(tok.encode(prompt)), Rope(4096)
    while len(ids) < start + most:
        row = torch.tensor([ids])
        h = hidden(params, row, torch.zeros_like(row), rope)[0, -1]
        ids.append(int((params["token_embd"] @ h).argmax()))
        if tok.tokens[ids[-1]] == "<|im_end|>":
            break
    return tok.decode(ids[start:])


if __name__ == "__main__":
    tok = Tokenizer.load(sys.argv[1])
    params = weights(tok, torch.load(sys.argv[2])["flat"])
    with torch.no_grad():
        for text in sys.argv[3:]:
            prompt = f"<|im_start|>user\n{text}<|im_end|>\n<|im_start|>assistant\n"
            print(repr(reply(tok, params, prompt)))
