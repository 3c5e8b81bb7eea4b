"""Turns in which tools are called: one call, some at once, some one after the other."""

from tasks import *
from talk import *

VERBS = set(
    "check tell get look show find search read open print set add create make calculate compute work send write message email display give repeat say list solve use call run".split()
)
ASKS = set("what what's how is which who who's do does will where are any can when".split())
CHAINS = ("pair", "mail", "openfound", "three", "forward")


def said(r, text, plain=False):
    """A clause as a user types it: capital or not, a please, a mark at the end or none."""
    first = text.split(" ", 1)[0]
    ask = first in ASKS
    if not plain:
        k = r.random()
        if first in VERBS and k < 0.3:
            text = (
                r.choice(
                    [
                        "can you ",
                        "could you ",
                        "please ",
                        "could you please ",
                        "can you please ",
                        "I want you to ",
                        "I need you to ",
                        "would you ",
                        "you should ",
                        "go and ",
                        "now ",
                        "quickly ",
                    ]
                )
                + text
            )
            ask = text.startswith(("can", "could", "would"))
        elif k < 0.08:
            text = (
                r.choice(
                    [
                        "please, ",
                        "hey, ",
                        "hi, ",
                        "ok, ",
                        "and ",
                        "now ",
                        "hello, ",
                        "so, ",
                        "well, ",
                        "next, ",
                        "quick question: ",
                        "hey assistant, ",
                    ]
                )
                + text
            )
    if r.random() < 0.55:
        text = text[0].upper() + text[1:]
    if ask:
        return text + ("?" if r.random() < 0.65 else "")
    k = r.random()
    return text + ("." if k < 0.2 else "!" if k < 0.22 else "")


class TaskTurns:
    """Of a chat with `r`, its random numbers, and `have`: kind of tool -> (name, arguments)."""

    def task(self, kind):
        return MAKERS[kind](self.r, self.have.get(kind) or TOOLS[kind][2][0])

    def plain(self, kind, user, think, reply):
        return {"kind": kind, "user": user, "steps": [], "think": think, "reply": reply, "values": []}

    def single(self):
        r = self.r
        t = self.task(r.choice(list(self.have)))
        return self.over("single", said(r, r.choice(t.phrases)), [[t]])

    def over(self, kind, user, rounds, sentence=None):
        """A turn of rounds of tasks; the calls of a round are made at once."""
        tasks = [t for round in rounds for t in round]
        # Said again in every step: a client that sends no reasoning back must not make it forget the rest.
        wish = "The user wants " + " and ".join(t.noun for t in tasks) + ". "
        steps = []
        for i, round in enumerate(rounds):
            names = [t.call[0] for t in round]
            if i == 0:
                think = wish + (
                    f"I use {names[0]}."
                    if len(tasks) == 1
                    else f"First {names[0]}." if len(names) == 1 else "At once: " + ", ".join(names) + "."
                )
            else:
                think = wish + f"Next {names[0]}."
            steps.append(
                {
                    "think": think,
                    "calls": [[t.call[0], t.call[1]] for t in round],
                    "results": [t.result for t in round],
                }
            )
        values = [v for t in tasks for v in t.values]
        think = wish + ("I have the result." if len(tasks) == 1 else "I have all results.")
        return {
            "kind": kind,
            "user": user,
            "steps": steps,
            "think": think,
            "reply": sentence or " ".join(t.sentence for t in tasks),
            "values": values,
        }

    def two(self):
        """Two tasks of which only the last may end in free text."""
        r = self.r
        a = r.choice([k for k in self.have if k not in ("remind", "send")])
        b = r.choice(list(self.have))
        return self.task(a), self.task(b)

    def pair(self):
        a, b = self.two()
        r = self.r
        x, y = r.choice(a.phrases), r.choice(b.phrases)
        text = r.choice(ways("pair", x=x, y=y))
        return self.over("pair", said(r, text), [[a], [b]])

    def parallel(self):
        r = self.r
        same = [k for k in self.have if k in ("weather", "read", "contact", "calc")]
        if same and r.random() < 0.5:
            kind = r.choice(same)
            n = r.choice([2, 2, 2, 3])
            ts = [self.task(kind) for _ in range(n)]
            arg = [list(t.call[1].values())[0] for t in ts]
            items = " and ".join(arg) if n == 2 else f"{arg[0]}, {arg[1]} and {arg[2]}"
            if kind == "read":
                for t in ts:
                    text = prose(r, r.choice([3, 6, 10]))
                    p = list(t.call[1].values())[0]
                    t.result, t.sentence, t.values = (
                        dumps({"path": p, "content": text}),
                        f"{p} says: {text}",
                        [text],
                    )
            heads = {
                "weather": [
                    "what is the weather in",
                    "compare the weather in",
                    "check the weather in",
                    "weather in",
                    "how is the weather in",
                    "get the weather for",
                ],
                "read": ["read", "open", "show me", "read the files", "compare", "print"],
                "contact": [
                    "look up",
                    "find the contacts",
                    "find",
                    "give me the numbers of",
                    "how can I reach",
                ],
                "calc": ["calculate", "what is", "compute", "work out"],
            }[kind]
            return self.over("parallel", said(r, r.choice(heads) + " " + items), [ts])
        a, b = self.two()
        x, y = r.choice(a.phrases), r.choice(b.phrases)
        text = r.choice(ways("parallel", x=x, y=y))
        return self.over("parallel", said(r, text), [[a, b]])

    def mail(self):
        r = self.r
        c = self.task("contact")
        body = self.task("send").call[1]
        text = [v for v in body.values()][1]
        s = send(r, self.have["send"], to=c.mail)
        s.call = bound(self.have["send"], c.mail, text)
        w = c.who
        user = r.choice(ways("mail", w=w, text=text))
        if c.result.startswith('{"error') or not c.result.startswith("{"):
            c.result = dumps({"email": c.mail})
            c.values = [c.mail]
        c.sentence = ""
        c.values = []
        return self.over("mail", said(r, user), [[c], [s]], s.sentence)

    def found(self):
        r = self.r
        s = self.task("search")
        q = list(s.call[1].values())[0]
        p = path(r)
        text = prose(r, r.choice([3, 6, 10, 16]) if r.random() > 0.12 else r.randint(30, 90))
        others = [path(r) for _ in range(r.choice([0, 0, 0, 1, 2]))]
        s.result = dumps({"files": [p] + others})
        s.sentence, s.values = "", []
        t = Task(
            "read",
            [],
            bound(self.have["read"], p),
            dumps({"path": p, "content": text}) if r.random() < 0.6 else text,
            f"{p} says: {text}",
            [p, text],
        )
        user = r.choice(ways("found", q=q))
        return user, s, t

    def openfound(self):
        user, s, t = self.found()
        return self.over("openfound", said(self.r, user), [[s], [t]], t.sentence)

    def three(self):
        r = self.r
        user, s, t = self.found()
        last = self.task(r.choice([k for k in ("remind", "send", "weather", "calc") if k in self.have]))
        text = user + r.choice([", then ", " and then ", ". After that ", ". Then "]) + r.choice(last.phrases)
        return self.over("three", said(r, text), [[s], [t], [last]], t.sentence + " " + last.sentence)

    def forward(self):
        r = self.r
        w, mail = self.task("weather"), email(r)
        if not w.sentence.endswith(".") or "error" in w.result:
            return self.single()
        c = list(w.call[1].values())[0]
        s = send(r, self.have["send"], to=mail)
        s.call = bound(self.have["send"], mail, w.sentence)
        user = r.choice(ways("forward", c=c, mail=mail))
        return self.over("forward", said(r, user), [[w], [s]], w.sentence + " " + s.sentence)
