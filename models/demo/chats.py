"""Whole conversations of the workspace assistant. `conversation(r)` gives
{system, tools: [[name, [argument...]]...], turns: [{kind, user, steps: [{think, calls, results}], think, reply, values}]}.
"""

from turns import *

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


class Chat(TaskTurns):
    def __init__(self, r, count=None):
        self.r = r
        kinds = list(TOOLS)
        k = r.random()
        n = (
            0
            if k < 0.06
            else r.randint(1, 3) if k < 0.28 else r.randint(4, 5) if k < 0.58 else r.randint(6, 7)
        )
        n = n if count is None else count
        self.have = {}
        for kind in r.sample(kinds, n):
            spellings = TOOLS[kind][2]
            self.have[kind] = spellings[0] if r.random() < 0.75 else r.choice(spellings[1:])
        self.tools = list(self.have.values())
        r.shuffle(self.tools)
        self.foreign = []
        if n and r.random() < 0.14 or n == 0 and r.random() < (0.3 if count is None else 0.9):
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
            return self.echo()
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
                    r.choice(ways("about", user=self.user)),
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

    def echo(self):
        r = self.r
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
        text = r.choice(ways("strange", name=name, how=how))
        t = Task("calc", [], (name, dict(zip(args, vals))), "", "", [])
        res = r.choice([lambda q: free(q, 1, 5), code, lambda q: dumps({word(q).lower(): code(q)}), amount])(
            r
        )
        t.result, t.sentence, t.values = res, f"The result: {res}.", [res]
        turn = self.over("strange", said(r, text, True).rstrip("!?"), [[t]])
        if turn["user"].endswith("."):
            turn["user"] = turn["user"][:-1]
        turn["steps"][0]["think"] = f"The user names {name}. I use it."
        turn["think"] = "I have the result."
        return turn

    def turn(self):
        r, have = self.r, self.have
        options = [
            ("single", 40 if have else 0),
            ("small", 9),
            ("about", 6),
            ("outside", 7),
            ("refuse", 20 if self.missing else 0),
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


def drill(r):
    """A short chat that is nearly all copying: with these first, a network learns to copy sooner."""
    chat = Chat(r, count=0)
    turns = [
        chat.strange() if chat.foreign and r.random() < 0.65 else chat.echo()
        for _ in range(r.choice([1, 2, 2]))
    ]
    return {"system": None, "tools": [list(t) for t in chat.tools], "turns": turns}
