"""Whole conversations of the workspace assistant. `conversation(r)` gives
{system, tools: [[name, [argument...]]...], turns: [{kind, user, steps: [{think, calls, results}], think, reply, values}]}.
"""

from tasks import *
from talk import *

SYSTEMS = [
    "You are a helpful assistant.",
    "You are a small workspace assistant.",
    "You are a helpful assistant with tools.",
    "You help with files, people and plans.",
    "Answer briefly.",
    "You are an assistant. Use the tools when they fit.",
    "Be polite and short.",
    "You work in an office and help the team.",
    "You are a demo of a warm server.",
    "Use tools.",
    "You are a coding agent.",
    "Today is a busy day. Help the user.",
]
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
    return text + (
        "."
        if k < 0.2
        else "!" if k < 0.22 else " please" if k < 0.25 and first in VERBS and not plain else ""
    )


class Chat:
    def __init__(self, r):
        self.r = r
        kinds = list(TOOLS)
        k = r.random()
        n = (
            0
            if k < 0.06
            else r.randint(1, 3) if k < 0.28 else r.randint(4, 5) if k < 0.58 else r.randint(6, 7)
        )
        self.have = {}
        for kind in r.sample(kinds, n):
            spellings = TOOLS[kind][2]
            self.have[kind] = spellings[0] if r.random() < 0.7 else r.choice(spellings[1:])
        self.tools = list(self.have.values())
        r.shuffle(self.tools)
        self.foreign = []
        if n and r.random() < 0.18 or n == 0 and r.random() < 0.3:
            for _ in range(r.choice([1, 1, 2])):
                name = r.choice(["_", "_", "-"]).join(word(r).lower() for _ in range(r.choice([1, 2, 2])))
                args = list(dict.fromkeys(word(r).lower() for _ in range(r.choice([1, 1, 2]))))
                if all(name != t[0] for t in self.tools):
                    self.foreign.append((name, args))
                    self.tools.insert(r.randint(0, len(self.tools)), (name, args))
        self.missing = [k for k in kinds if k not in self.have]
        self.name, self.user = None, None
        k = r.random()
        if k < 0.25:
            self.system = None
        elif k < 0.75:
            self.system = r.choice(SYSTEMS)
        elif k < 0.92:
            self.name = person(r, False)
            self.system = f"You are {self.name}, " + r.choice(
                [
                    "a helpful assistant.",
                    "a small workspace assistant.",
                    "an assistant for the team.",
                    f"the assistant of {person(r)}.",
                ]
            )
        else:
            self.system = r.choice(SYSTEMS) + " " + prose(r, r.choice([6, 12, 25]))

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
        steps = []
        for i, round in enumerate(rounds):
            names = [t.call[0] for t in round]
            if i == 0:
                think = "The user wants " + " and ".join(t.noun for t in tasks) + ". "
                think += (
                    f"I use {names[0]}."
                    if len(tasks) == 1
                    else f"First {names[0]}." if len(names) == 1 else "At once: " + ", ".join(names) + "."
                )
            else:
                think = f"Next {names[0]}."
            steps.append(
                {
                    "think": think,
                    "calls": [[t.call[0], t.call[1]] for t in round],
                    "results": [t.result for t in round],
                }
            )
        values = [v for t in tasks for v in t.values]
        think = "I have the result." if len(tasks) == 1 else "I have all results."
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
        text = r.choice(
            [
                f"first {x}, then {y}",
                f"{x}, then {y}",
                f"{x} and then {y}",
                f"{x}. After that {y}",
                f"{x}, and after that {y}",
                f"{x}. Then {y}",
                f"first {x} and then {y}",
            ]
        )
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
        text = r.choice(
            [
                f"{x} and {y}",
                f"{x} and also {y}",
                f"{x}, and {y}",
                f"{x}. Also {y}",
                f"{x} and at the same time {y}",
            ]
        )
        return self.over("parallel", said(r, text), [[a, b]])

    def mail(self):
        r = self.r
        c = self.task("contact")
        body = self.task("send").call[1]
        text = [v for v in body.values()][1]
        s = send(r, self.have["send"], to=c.mail)
        s.call = bound(self.have["send"], c.mail, text)
        w = c.who
        user = r.choice(
            [
                f"send {w} a message: {text}",
                f"tell {w} that {text}",
                f"write to {w}: {text}",
                f"message {w}: {text}",
                f"send a message to {w}: {text}",
                f"let {w} know that {text}",
                f"email {w}: {text}",
                f"find {w} and send this message: {text}",
                f"look up {w} and write: {text}",
                f"write {w} that {text}",
                f"send the message {text} to {w}",
            ]
        )
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
        s.sentence = f"I also found {listed(others)}." if others else ""
        s.values = others
        t = Task(
            "read",
            [],
            bound(self.have["read"], p),
            dumps({"path": p, "content": text}) if r.random() < 0.6 else text,
            f"{p} says: {text}",
            [p, text],
        )
        user = r.choice(
            [
                f"find the file about {q} and read it",
                f"search for {q} and open the first file",
                f"find files about {q} and show me the first one",
                f"look for {q} and read what you find",
                f"open the file about {q}",
                f"read the file about {q}",
                f"what does the file about {q} say",
                f"search for {q} and read the first result",
                f"find my notes about {q} and read them to me",
                f"what is in the file about {q}",
                f"show me the file about {q}",
            ]
        )
        return user, s, t

    def openfound(self):
        user, s, t = self.found()
        reply = t.sentence + (" " + s.sentence if s.sentence else "")
        return self.over("openfound", said(self.r, user), [[s], [t]], reply)

    def three(self):
        r = self.r
        user, s, t = self.found()
        last = self.task(r.choice([k for k in ("remind", "send", "weather", "calc") if k in self.have]))
        text = user + r.choice([", then ", " and then ", ". After that ", ". Then "]) + r.choice(last.phrases)
        reply = t.sentence + (" " + s.sentence if s.sentence else "") + " " + last.sentence
        return self.over("three", said(r, text), [[s], [t], [last]], reply)

    def forward(self):
        r = self.r
        w, mail = self.task("weather"), email(r)
        if not w.sentence.endswith(".") or "error" in w.result:
            return self.single()
        c = list(w.call[1].values())[0]
        s = send(r, self.have["send"], to=mail)
        s.call = bound(self.have["send"], mail, w.sentence)
        user = r.choice(
            [
                f"send the weather in {c} to {mail}",
                f"tell {mail} the weather in {c}",
                f"write to {mail} what the weather in {c} is",
                f"check the weather in {c} and send it to {mail}",
                f"email the weather in {c} to {mail}",
            ]
        )
        return self.over("forward", said(r, user), [[w], [s]], w.sentence + " " + s.sentence)

    def refuse(self):
        r = self.r
        t = self.task(r.choice(self.missing))
        user = r.choice(t.phrases)
        think = f"The user wants {t.noun}. No tool for that."
        return self.plain("refuse", said(r, user), think, f"I can't {t.cant} here: no tool fits.")

    def outside(self):
        return self.plain("outside", said(self.r, out_of_world(self.r)), "No tool fits that.", CANT)

    def small(self):
        r = self.r
        kind = r.choices(
            list(TALK),
            [
                0.5 if k in ("story", "warm", "day", "tea") else 2 if k in ("greet", "thanks") else 1
                for k in TALK
            ],
        )[0]
        asks, think, reply = TALK[kind]
        return self.plain("talk", said(r, r.choice(asks.split(";")), plain=r.random() < 0.8), think, reply)

    def about(self):
        r = self.r
        k = r.random()
        if k < 0.45:
            names = listed(t[0] for t in self.tools)
            return self.plain(
                "talk",
                said(r, r.choice(CAPABLE), True),
                "A question about my tools.",
                f"My tools: {names}." if names else "I have no tools here.",
            )
        if k < 0.6:
            return self.plain(
                "talk",
                said(r, r.choice(WHO), True),
                "A question about me.",
                f"I am {self.name}." if self.name else "I am a small assistant.",
            )
        if k < 0.8:
            text = r.choice([free, code, person, path, lambda q: prose(q, 12).rstrip(".!")])(r)
            return self.plain(
                "talk",
                said(
                    r,
                    r.choice(["repeat: ", "say: ", "repeat after me: ", "please say: ", "echo: "]) + text,
                    True,
                ).rstrip("."),
                "I repeat that.",
                text,
            )
        if self.user and k < 0.92:
            return self.plain(
                "talk",
                said(
                    r,
                    r.choice(
                        [
                            "what is my name",
                            "who am I",
                            "do you know my name",
                            "say my name",
                            "what's my name",
                        ]
                    ),
                    True,
                ),
                "The user's name.",
                f"Your name is {self.user}.",
            )
        if k < 0.97 or self.user:
            self.user = person(r, r.random() < 0.2)
            return self.plain(
                "talk",
                said(
                    r,
                    r.choice(
                        [
                            f"my name is {self.user}",
                            f"I am {self.user}",
                            f"hello, I am {self.user}",
                            f"hi, my name is {self.user}",
                            f"call me {self.user}",
                        ]
                    ),
                    True,
                ).rstrip("."),
                "A name.",
                f"Nice to meet you, {self.user}.",
            )
        return self.plain(
            "talk",
            said(r, r.choice(["what is my name", "who am I", "do you know my name"]), True),
            "The user's name.",
            "You have not told me your name.",
        )

    def strange(self):
        """A tool of another world, named by the user."""
        r = self.r
        name, args = r.choice(self.foreign)
        vals = [
            r.choice(
                [
                    lambda q: word(q),
                    lambda q: free(q, 2, 3),
                    code,
                    path,
                    person,
                    city,
                    lambda q: q.randint(1, 5000),
                ]
            )(r)
            for _ in args
        ]
        how = (
            ", ".join(f"{a} {v}" for a, v in zip(args, vals))
            if r.random() < 0.6
            else " and ".join(f"{a} = {v}" for a, v in zip(args, vals))
        )
        text = r.choice(
            [
                f"use {name} with {how}",
                f"call {name} with {how}",
                f"run {name} with {how}",
                f"use the tool {name} with {how}",
                f"{name} with {how}",
            ]
        )
        t = Task("calc", [], (name, dict(zip(args, vals))), "", "", [])
        res = r.choice([lambda q: free(q, 1, 5), code, lambda q: dumps({word(q).lower(): code(q)}), amount])(
            r
        )
        t.result, t.sentence, t.values = res, f"The result: {res}.", [res]
        turn = self.over("strange", said(r, text, True).rstrip("!?"), [[t]])
        if turn["user"].endswith("."):
            turn["user"] = turn["user"][:-1]
        turn["steps"][0]["think"] = f"The user names {name}. I use it."
        return turn

    def turn(self):
        r, have = self.r, self.have
        options = [
            ("single", 34 if have else 0),
            ("small", 9),
            ("about", 6),
            ("outside", 7),
            ("refuse", 13 if self.missing else 0),
            ("strange", 22 if self.foreign else 0),
        ]
        if any(k not in ("remind", "send") for k in have):
            options += [("parallel", 9), ("pair", 9)]
        if "contact" in have and "send" in have:
            options.append(("mail", 9))
        if "search" in have and "read" in have:
            options.append(("openfound", 8))
            if len(have) > 2 and any(k in have for k in ("remind", "send", "weather", "calc")):
                options.append(("three", 5))
        if "weather" in have and "send" in have:
            options.append(("forward", 4))
        names, weights = zip(*options)
        return getattr(self, r.choices(names, weights)[0])()


def conversation(r, turns=None):
    chat = Chat(r)
    n = turns or r.choice([1, 1, 1, 2, 2, 3, 4])
    return {
        "system": chat.system,
        "tools": [list(t) for t in chat.tools],
        "turns": [chat.turn() for _ in range(n)],
    }
