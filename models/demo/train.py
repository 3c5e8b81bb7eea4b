"""Trains on two cores: `train.py TOKENIZER SHARDS CHECKPOINT SECONDS [OLD_CHECKPOINT or OLD.gguf]`. Two processes of one thread each share the weights;
the learning rate follows the wall clock, so that the decay always ends in time."""

import json, os, pickle, random, sys, time
import numpy as np
import torch
import torch.multiprocessing as mp
from gguf import weights
from net import Rope, initial, loss_sum, shapes
from tokens import Tokenizer

RANKS = 2
# From each part of the time on: tokens of a row, tokens of a batch per rank. Short chats and small batches first.
PHASES = [(0.0, 512, 1024), (0.6, 1024, 2048)]
# A run that goes on from an older one starts with long rows and a lower rate.
LATER = [(0.0, 1024, 2048)]
LATER_RATE = 0.25
# From this part of the time on products are made in single precision, as the server makes them.
SINGLE = 0.9
MUON_LR, ADAM_LR, DECAY, WARM_STEPS, FLAT, END = 0.02, 4e-3, 0.02, 40, 0.4, 0.02
SAVE_SECONDS = 150


class Rows:
    """Packs conversations into rows; each rank reads its own half of every shard, each conversation once."""

    def __init__(self, folder, rank):
        self.folder, self.rank, self.r = folder, rank, random.Random(rank)
        self.next, self.pool = 0, []

    def refill(self):
        file = f"{self.folder}/shard-{self.next}.pkl"
        if not os.path.exists(file):
            self.next, file = 0, f"{self.folder}/shard-0.pkl"
        convs = pickle.load(open(file, "rb"))
        self.next += 1
        self.pool += convs[self.rank :: RANKS]
        self.r.shuffle(self.pool)

    def fitting(self, room):
        """Takes the longest of some random conversations that fits; None where none does."""
        if len(self.pool) < 400:
            self.refill()
        best = None
        for i in self.r.sample(range(len(self.pool)), 40):
            size = len(self.pool[i][0])
            if size <= room and (best is None or size > len(self.pool[best][0])):
                best = i
        if best is None:
            return None
        self.pool[best], self.pool[-1] = self.pool[-1], self.pool[best]
        return self.pool.pop()

    def first(self, length):
        """Takes any conversation; one that is longer than a row is left out."""
        while True:
            if len(self.pool) < 400:
                self.refill()
            i = self.r.randrange(len(self.pool))
            self.pool[i], self.pool[-1] = self.pool[-1], self.pool[i]
            taken = self.pool.pop()
            if len(taken[0]) <= length:
                return taken

    def row(self, length):
        """(ids, number of the conversation, target or -1), each of `length`."""
        ids, doc, target = (
            np.zeros(length, np.int64),
            np.full(length, -1, np.int64),
            np.full(length, -1, np.int64),
        )
        at, n, taken = 0, 0, self.first(length)
        while taken is not None:
            tokens, loss = taken
            size = len(tokens)
            ids[at : at + size], doc[at : at + size] = tokens, n
            target[at : at + size - 1] = np.where(loss[1:], tokens[1:].astype(np.int64), -1)
            at, n = at + size, n + 1
            taken = self.fitting(length - at) if at < length - 60 else None
        return ids, doc, target

    def batch(self, length, tokens):
        rows = [self.row(length) for _ in range(tokens // length)]
        return [torch.from_numpy(np.stack(x)) for x in zip(*rows)]


def orthogonal(g):
    """Four Newton-Schulz steps towards the nearest matrix with singular values of one."""
    x = g / (g.norm() + 1e-7)
    tall = x.shape[0] > x.shape[1]
    x = x.T if tall else x
    for a, b, c in (
        (4.0848, -6.8946, 2.9270),
        (3.9505, -6.3029, 2.6377),
        (3.7418, -5.5913, 2.3037),
        (2.8769, -3.1427, 1.2046),
    ):
        s = x @ x.T
        x = a * x + (b * s + c * s @ s) @ x
    return x.T if tall else x


def work(rank, flat, grads, first, second, shared, barrier, layout, folder, checkpoint, seconds, begin, old):
    torch.set_num_threads(1)
    torch.manual_seed(rank)
    params, spans = {}, {}
    for name, (start, shape) in layout.items():
        size = int(np.prod(shape))
        spans[name] = slice(start, start + size)
        p = flat[start : start + size].view(shape).requires_grad_()
        p.grad = grads[rank][start : start + size].view(shape)
        params[name] = p
    sizes, mine = [0] * RANKS, []
    for name in sorted(layout, key=lambda n: -np.prod(layout[n][1])):
        least = sizes.index(min(sizes))
        sizes[least] += int(np.prod(layout[name][1])) * (1 if name == "token_embd" else 4)
        if least == rank:
            mine.append(name)
    state = lambda step, tokens: {
        "flat": flat,
        "first": first,
        "second": second,
        "step": step,
        "tokens": tokens,
        "shard": rows.next,
    }
    rows, rope = Rows(folder, rank), Rope(4096)
    ema, saved, targets, started = None, begin, 0, old["tokens"]
    step, tokens, rows.next = old["step"], old["tokens"], old["shard"]
    log = open(checkpoint + ".log", "a") if rank == 0 else None
    while True:
        if rank == 0:
            shared[0] = (time.time() - begin) / seconds
        barrier.wait()
        progress = float(shared[0])
        if progress >= 1:
            break
        later = old["step"] > 0
        _, length, size = [p for p in (LATER if later else PHASES) if p[0] <= progress][-1]
        ids, doc, target = rows.batch(length, size)
        grads[rank].zero_()
        loss, n = loss_sum(params, ids, doc, target, rope, half=progress < SINGLE)
        # 1000: about the number of targets in a batch; the true one is divided out below.
        (loss / 1000).backward()
        shared[1 + rank], shared[3 + rank] = float(loss), n
        barrier.wait()
        total = float(shared[3] + shared[4])
        rate = min(1, (step - old["step"] + 1) / WARM_STEPS) * (
            1 if progress < FLAT else END + (1 - END) * (1 - progress) / (1 - FLAT)
        )
        if later:
            rate *= LATER_RATE
        momentum = 0.85 + 0.1 * min(1, step / 300)
        with torch.no_grad():
            for name in mine:
                span, shape = spans[name], layout[name][1]
                g = (grads[0][span] + grads[1][span]) * (1000 / total)
                p, m = flat[span], first[span]
                if len(shape) == 2 and name != "token_embd" and not name.endswith("conv"):
                    m.mul_(momentum).add_(g, alpha=1 - momentum)
                    u = orthogonal(g.lerp(m, momentum).view(shape)).reshape(-1)
                    lr = rate * MUON_LR * max(1, shape[0] / shape[1]) ** 0.5
                    p.mul_(1 - lr * DECAY).add_(u, alpha=-lr)
                else:
                    v = second[span]
                    m.lerp_(g, 0.1)
                    v.lerp_(g * g, 0.05)
                    lr = rate * ADAM_LR
                    p.sub_(
                        lr * (m / (1 - 0.9 ** (step + 1))) / ((v / (1 - 0.95 ** (step + 1))).sqrt() + 1e-8)
                    )
        step += 1
        if rank == 0:
            now = float(shared[1] + shared[2]) / total
            ema = now if ema is None else 0.95 * ema + 0.05 * now
            tokens += RANKS * size
            targets += total
            if step % 10 == 0:
                line = {
                    "step": step,
                    "seconds": round(time.time() - begin),
                    "loss": round(ema, 4),
                    "tokens": tokens,
                    "per_second": round((tokens - started) / (time.time() - begin)),
                    "targets": int(targets),
                    "rate": round(rate, 3),
                    "row": length,
                }
                log.write(json.dumps(line) + "\n")
                log.flush()
        barrier.wait()
        if rank == 0 and time.time() - saved > SAVE_SECONDS:
            saved = time.time()
            torch.save(state(step, tokens), checkpoint + ".part")
            os.replace(checkpoint + ".part", checkpoint)
    if rank == 0:
        torch.save(state(step, tokens) | {"seconds": time.time() - begin, "loss": ema}, checkpoint)


def older(file, tokenizer):
    """What to go on from: a checkpoint, or the model file itself, whose optimizer's memory is empty."""
    if not file.endswith(".gguf"):
        return torch.load(file)
    flat = weights(Tokenizer.load(tokenizer), file)
    return {"flat": torch.from_numpy(flat), "step": 1}


# glibc gives large blocks back to the system at once, and getting them again costs more than what is reckoned in them:
# attention is then 15 times as slow.
MALLOC = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(8 << 30), "MALLOC_TOP_PAD_": str(512 << 20)}

if __name__ == "__main__":
    if MALLOC.items() - os.environ.items():
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | MALLOC)
    tokenizer, folder, checkpoint, seconds = sys.argv[1:5]
    torch.manual_seed(1)
    layout, at = {}, 0
    for name, shape in shapes(len(Tokenizer.load(tokenizer).tokens)).items():
        layout[name] = (at, shape)
        at += int(np.prod(shape))
    flat = torch.cat([initial(n, s).reshape(-1) for n, (_, s) in layout.items()]).share_memory_()
    zeros = lambda *s: torch.zeros(*s).share_memory_()
    grads, first, second, shared = zeros(RANKS, at), zeros(at), zeros(at), zeros(8).double().share_memory_()
    old = {"step": 0, "tokens": 0, "shard": 0}
    if len(sys.argv) > 5:
        old |= older(sys.argv[5], tokenizer)
        for name, now in (("flat", flat), ("first", first), ("second", second)):
            if name in old:
                now.copy_(old.pop(name))
    print(at, "parameters, from step", old["step"])
    barrier = mp.get_context("fork").Barrier(RANKS)
    fixed = (flat, grads, first, second, shared, barrier, layout, folder, checkpoint)
    mp.start_processes(work, (*fixed, float(seconds), time.time(), old), nprocs=RANKS, start_method="fork")
