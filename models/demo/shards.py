"""Writes the corpus: `shards.py TOKENIZER FOLDER FIRST LAST` makes shard FIRST..LAST-1, each from its own seed.
Shard 0 is drills for the most part, and shorter."""

import pickle, random, sys
import numpy as np
from chats import conversation, drill
from tokens import Tokenizer

PER_SHARD, DRILLS = 2000, 1500
# Chats whose client sends no reasoning back. A quarter was too little: the second call of two was then left out.
DROPPED = 0.4
TOKENS_MAX = 2048


def shard(tok, n):
    r = random.Random(1000 + n)
    out = []
    while len(out) < PER_SHARD:
        conv = drill(r) if n == 0 and len(out) < DRILLS else conversation(r)
        drop, nothink = r.random() < DROPPED, r.random() < 0.08
        # Where no reasoning came back, each message of a tool loop is answered by a request of its own.
        at = r.randrange(len(conv["turns"][-1]["steps"]) + 1) if drop or nothink else None
        ids, loss = tok.conversation(conv, at, drop, nothink)
        if len(ids) <= TOKENS_MAX:
            out.append((np.array(ids, dtype=np.int16), np.array(loss, dtype=bool)))
    r.shuffle(out)
    return out


if __name__ == "__main__":
    tok = Tokenizer.load(sys.argv[1])
    for n in range(int(sys.argv[3]), int(sys.argv[4])):
        pickle.dump(shard(tok, n), open(f"{sys.argv[2]}/shard-{n}.pkl", "wb"))
