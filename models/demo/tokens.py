"""The tokenizer: llama.cpp's `llama-bpe` pre-type (whole words first, then merges).

A word or mark that is often a target is one token, taken whole and never a step of a merge; all other words are
spelled with letters and a few groups of two or three letters. So every token is seen often as a target, and a name
that nobody has seen is spelled with the same letters wherever it stands: after a blank, a slash or a quote.
"""

import json, random, sys
from collections import Counter
import regex
from render import SPECIALS, pieces

WORDS = regex.compile(
    r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
MARKS = regex.compile("(" + "|".join(regex.escape(s) for s in SPECIALS) + ")")
LETTERS = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


def byte_letters():
    """GPT-2's table: each byte as a printable letter."""
    plain = list(range(33, 127)) + list(range(161, 173)) + list(range(174, 256))
    table, n = {}, 0
    for b in range(256):
        table[b] = chr(b) if b in plain else chr(256 + n)
        n += b not in plain
    return table


BYTES = byte_letters()
as_letters = lambda text: "".join(BYTES[b] for b in text.encode())


class Tokenizer:
    def __init__(self, words, merges):
        self.merges = [tuple(m) for m in merges]
        tokens = SPECIALS + [BYTES[b] for b in range(256)] + ["".join(m) for m in self.merges]
        tokens += [w for w in words if w not in set(tokens)]
        while len(tokens) % 32:
            tokens.append(f"<|unused{len(tokens)}|>")
        self.words, self.tokens = words, tokens
        self.id = {t: i for i, t in enumerate(tokens)}
        self.rank = {m: i for i, m in enumerate(self.merges)}
        self.cache = {}

    def word(self, text):
        got = self.cache.get(text)
        if got is None:
            letters = as_letters(text)
            got = [self.id[letters]] if letters in self.id else [self.id[p] for p in self.bpe(list(letters))]
            if len(self.cache) < 2_000_000:
                self.cache[text] = got
        return got

    def bpe(self, parts):
        while len(parts) > 1:
            best = min(
                range(len(parts) - 1), key=lambda i: (self.rank.get((parts[i], parts[i + 1]), 1 << 30), i)
            )
            if (parts[best], parts[best + 1]) not in self.rank:
                break
            parts[best : best + 2] = [parts[best] + parts[best + 1]]
        return parts

    def encode(self, text):
        out = []
        for part in MARKS.split(text):
            if part in SPECIALS:
                out.append(self.id[part])
            else:
                for w in WORDS.findall(part):
                    out += self.word(w)
        return out

    def decode(self, ids):
        back = {letter: b for b, letter in BYTES.items()}
        out = b""
        for i in ids:
            t = self.tokens[i]
            out += t.encode() if t in SPECIALS else bytes(back[c] for c in t)
        return out.decode(errors="replace")

    def conversation(self, conv, at=None, drop=False, nothink=False):
        """(ids, 1 where the token carries loss); see `pieces`."""
        ids, loss = [], []
        for text, kind in pieces(conv, at, drop, nothink):
            part = self.encode(text)
            ids += part
            loss += [0 if kind == "no" or kind == "rest" and i == 0 else 1 for i in range(len(part))]
        return ids, loss

    def save(self, file):
        json.dump({"words": self.words, "merges": self.merges}, open(file, "w"), ensure_ascii=False)

    @staticmethod
    def load(file):
        d = json.load(open(file))
        return Tokenizer(d["words"], d["merges"])


def train(conversations, merges_max, words_max, seen_min):
    """Whole words are those seen `seen_min` times as targets; merges join ASCII letters to groups of at most three."""
    whole, spelled = Counter(), Counter()
    for conv in conversations:
        for text, kind in pieces(conv):
            for part in MARKS.split(text):
                if part not in SPECIALS:
                    for w in WORDS.findall(part):
                        spelled[w] += 1
                        if kind != "no":
                            whole[w] += 1
    words = [
        as_letters(w)
        for w, n in whole.most_common(words_max)
        if n >= seen_min and len(w) > 1 and not w[-1].isdigit()
    ]
    known = set(words)
    rest = Counter({w: n for w, n in spelled.items() if as_letters(w) not in known})
    split = {w: list(as_letters(w)) for w in rest}
    merges = []
    while len(merges) < merges_max:
        pairs = Counter()
        for w, n in rest.items():
            p = split[w]
            for a, b in zip(p, p[1:]):
                if len(a) + len(b) <= 3 and set(a + b) <= LETTERS:
                    pairs[a, b] += n
        (a, b), _ = pairs.most_common(1)[0]
        merges.append((a, b))
        for w, p in split.items():
            if a in p and b in p:
                i = 0
                while i < len(p) - 1:
                    if p[i] == a and p[i + 1] == b:
                        p[i : i + 2] = [a + b]
                    i += 1
    return Tokenizer(words, merges)


if __name__ == "__main__":
    from chats import conversation

    r = random.Random(7)
    convs = [conversation(r) for _ in range(int(sys.argv[2]))]
    tok = train(convs, merges_max=208, words_max=900, seen_min=int(sys.argv[3]))
    tok.save(sys.argv[1])
    seen, total, lossy, lengths = Counter(), 0, 0, []
    for conv in convs:
        ids, loss = tok.conversation(conv)
        seen.update(i for i, l in zip(ids, loss) if l)
        total, lossy = total + len(ids), lossy + sum(loss)
        lengths.append(len(ids))
    lengths.sort()
    print(
        len(tok.tokens),
        "tokens,",
        len(tok.words),
        "words; mean length",
        total / len(convs),
        "loss",
        lossy / total,
        "quantiles",
        [lengths[int(len(lengths) * q)] for q in (0.1, 0.5, 0.8, 0.9, 0.97, 0.999)],
    )
    print(
        "rare targets:",
        [
            (tok.tokens[i], seen[i])
            for i in range(9, len(tok.tokens))
            if seen[i] < 40 and ord(tok.tokens[i][0]) < 128
        ],
    )
    print(tok.words[:60], tok.words[-60:], ["".join(m) for m in tok.merges])
