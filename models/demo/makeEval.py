"""Writes the conversations that `bun run models:eval` plays: `makeEval.py OUT`. Their seeds are none of the corpus's."""

import json, random, sys
from chats import conversation

COUNT, BYTES_MAX = 200, 2600
WANTED = {"chain": 45, "refuse": 40, "talk": 60}
CHAIN = ("pair", "mail", "openfound", "three", "forward")


def groups(conv):
    for turn in conv["turns"]:
        yield (
            "chain"
            if turn["kind"] in CHAIN
            else "talk" if turn["kind"] in ("talk", "outside") else turn["kind"]
        )


def line(conv):
    turns = [
        {
            "kind": t["kind"],
            "user": t["user"],
            "steps": [{"calls": s["calls"], "results": s["results"]} for s in t["steps"]],
            "reply": t["reply"],
            "values": t["values"],
        }
        for t in conv["turns"]
    ]
    return json.dumps({"system": conv["system"], "tools": conv["tools"], "turns": turns}, ensure_ascii=False)


if __name__ == "__main__":
    r = random.Random(20_000_003)
    lines, have = [], dict.fromkeys(WANTED, 0)
    while len(lines) < COUNT:
        conv = conversation(r, r.choice([1, 1, 2, 2, 3]))
        text = line(conv)
        mine = list(groups(conv))
        lacking = [g for g in WANTED if have[g] < WANTED[g]]
        left = COUNT - len(lines)
        if len(text.encode()) > BYTES_MAX or lacking and left < 150 and not any(g in mine for g in lacking):
            continue
        for g in mine:
            have[g] = have.get(g, 0) + 1
        lines.append(text)
    open(sys.argv[1], "w").write("\n".join(lines) + "\n")
    print(have, sum(len(t.encode()) for t in lines), "bytes")
