"""Single tasks of the workspace assistant: what the user says, the call, a result, and the sentence that tells it."""

import json
from phrases import ways
from words import *

# kind -> (what the thought calls it, what a refusal says, [(tool name, its arguments)...]); the first spelling is the usual one.
TOOLS = {
    "weather": (
        "the weather",
        "check the weather",
        [("get_weather", ["city"]), ("get_weather", ["location"]), ("weather", ["place"])],
    ),
    "search": (
        "a search",
        "search files",
        [("search_files", ["query"]), ("find_files", ["query"]), ("search", ["text"])],
    ),
    "read": (
        "a file",
        "read files",
        [("read_file", ["path"]), ("open_file", ["path"]), ("read_file", ["file"])],
    ),
    "remind": (
        "a reminder",
        "set reminders",
        [
            ("set_reminder", ["text", "when"]),
            ("add_reminder", ["text", "time"]),
            ("set_reminder", ["when", "text"]),
        ],
    ),
    "calc": (
        "a calculation",
        "calculate",
        [("calculate", ["expression"]), ("calculator", ["expression"]), ("calculate", ["formula"])],
    ),
    "contact": (
        "a contact",
        "look up contacts",
        [("find_contact", ["name"]), ("lookup_contact", ["name"]), ("find_person", ["name"])],
    ),
    "send": (
        "a message",
        "send messages",
        [
            ("send_message", ["to", "text"]),
            ("send_mail", ["to", "text"]),
            ("send_message", ["to", "message"]),
        ],
    ),
}
ERRORS = [
    "not found",
    "no such file",
    "timeout",
    "access denied",
    "the service is down",
    "no network",
    "invalid input",
    "busy, try again later",
]
SKY = [
    "sunny",
    "cloudy",
    "light rain",
    "heavy rain",
    "snow",
    "clear sky",
    "fog",
    "strong wind",
    "thunder",
    "drizzle",
    "overcast",
    "hail",
]


class Task:
    """values: what the answer must hold. sentence: the answer's part for this task."""

    def __init__(self, kind, phrases, call, result, sentence, values):
        self.kind, self.phrases, self.call, self.result, self.sentence, self.values = (
            kind,
            phrases,
            call,
            result,
            sentence,
            values,
        )

    noun = property(lambda self: TOOLS[self.kind][0])
    cant = property(lambda self: TOOLS[self.kind][1])


def bound(spelling, *values):
    """The call for a tool's spelling; `values` in the order of the usual spelling's arguments."""
    name, args = spelling
    usual = values[::-1] if args[0] in ("when",) else values
    return name, dict(zip(args, usual))


def dumps(value):
    return json.dumps(value, ensure_ascii=False)


def failing(r, task):
    """Now and then a tool fails, or answers in plain words: both are told as they are."""
    kind = r.random()
    if kind < 0.05:
        text = r.choice(ERRORS) if r.random() < 0.5 else free(r, 2, 4)
        task.result, task.sentence, task.values = (
            dumps({"error": text}),
            f"That did not work: {text}.",
            [text],
        )
    elif kind < 0.11 and task.kind != "read":
        text = (
            free(r, 2, 6)
            if r.random() < 0.5
            else r.choice(
                [
                    code(r),
                    amount(r) + " " + word(r),
                    "ok " + code(r),
                    word(r) + ": " + amount(r) + ", " + word(r) + ": " + amount(r),
                ]
            )
        )
        task.result, task.sentence, task.values = text, f"The result: {text}.", [text]
    return task


def weather(r, sp):
    c = city(r)
    deg, sky = r.randint(-25, 42), r.choice(SKY) if r.random() < 0.8 else free(r, 1, 2)
    phrases = ways("weather", c=c)
    keys = r.random()
    if keys < 0.7:
        res = {"city": c, "temperature": deg, "sky": sky}
    elif keys < 0.85:
        res = {"temperature": deg, "sky": sky}
    else:
        res = {"sky": sky, "temperature": deg, "city": c}
    return failing(
        r, Task("weather", phrases, bound(sp, c), dumps(res), f"{c}: {deg} degrees, {sky}.", [str(deg), sky])
    )


def topic(r):
    n = r.random()
    if n < 0.45:
        return cased(r, word(r))
    if n < 0.6:
        return glued(r)
    if n < 0.7:
        return person(r) if r.random() < 0.6 else city(r)
    return " ".join(word(r) for _ in range(r.choice([2, 2, 3])))


def listed(names):
    return ", ".join(names)


def search(r, sp):
    q = topic(r)
    files = [path(r) for _ in range(r.choice([0, 1, 1, 2, 2, 3, 4]))]
    phrases = ways("search", q=q)
    sentence = f"I found {listed(files)}." if files else f"I found no files about {q}."
    return failing(r, Task("search", phrases, bound(sp, q), dumps({"files": files}), sentence, files))


def reading(p):
    return ways("reading", p=p)


def pairs(r, n):
    """Lines `name: value`, all names different."""
    names = []
    while len(names) < n:
        name = " ".join(word(r).lower() for _ in range(r.choice([1, 1, 2])))
        if name not in names:
            names.append(name)
    return [
        (name, r.choice([amount, code, person, city, lambda q: free(q, 2, 3), clock, date, phone])(r))
        for name in names
    ]


def read(r, sp, long=0.1):
    p = path(r)
    kind = r.random()
    if kind < 0.2:
        rows = pairs(r, r.choice([2, 2, 3, 3, 4, 5]))
        name, value = r.choice(rows)
        content = "\n".join(f"{a}: {b}" for a, b in rows)
        phrases = ways("read", name=name, p=p)
        # Told as the line stands in the file: a value that follows its name is found by any induction head.
        line = f"{name}: {value}"
        return Task("read", phrases, bound(sp, p), content, f"{p} says:\n{line}", [line])
    content = prose(r, r.choice([3, 5, 8, 14, 20]) if r.random() > long else r.randint(25, 50))
    result = (
        content
        if r.random() < 0.5
        else dumps({"path": p, "content": content}) if r.random() < 0.7 else dumps({"content": content})
    )
    return failing(r, Task("read", reading(p), bound(sp, p), result, f"{p} says: {content}", [content]))


def remind(r, sp):
    text = free(r)
    said, t = when(r)
    phrases = ways("remind", text=text, said=said)
    i = code(r)
    res = r.choice([{"id": i}, {"id": i, "ok": True}, {"ok": True, "id": i}])
    return failing(
        r,
        Task(
            "remind", phrases, bound(sp, text, t), dumps(res), f"The reminder {i} is set: {text}, {t}.", [i]
        ),
    )


def expression(r):
    """(as said, argument, value)."""
    n = r.choice([1, 1, 1, 2])
    kind = r.random()
    big = r.choice([20, 100, 1000, 10000])
    nums = [str(r.randint(1, big)) for _ in range(n + 1)]
    ops = [r.choice("+-*/") for _ in range(n)]
    if kind < 0.12:
        nums[0] = f"{r.randint(0, 99)}.{r.randint(1, 99)}"
    gap = r.choice(["", " "])
    text = nums[0] + "".join(gap + o + gap + m for o, m in zip(ops, nums[1:]))
    if n == 2 and r.random() < 0.4:
        text = f"({nums[0]}{gap}{ops[0]}{gap}{nums[1]}){gap}{ops[1]}{gap}{nums[2]}"
    said = text
    if n == 1 and r.random() < 0.35:
        o = {"+": "plus", "-": "minus", "*": "times", "/": "divided by"}[ops[0]]
        said, text = f"{nums[0]} {o} {nums[1]}", f"{nums[0]} {ops[0]} {nums[1]}"
    value = round(eval(text), 2)
    return said, text, int(value) if value == int(value) else value


def calc(r, sp):
    said, text, value = expression(r)
    phrases = ways("calc", said=said)
    res = dumps({"result": value}) if r.random() < 0.8 else str(value)
    return failing(r, Task("calc", phrases, bound(sp, text), res, f"{text} = {value}.", [str(value)]))


def contact(r, sp):
    who = person(r)
    full = who if " " in who else who + " " + person(r, False)
    tel, mail = phone(r), email(r, full)
    phrases = ways("contact", who=who)
    kind = r.random()
    if kind < 0.6:
        res, vals, s = (
            {"name": full, "phone": tel, "email": mail},
            [full, tel, mail],
            f"{full}: {tel}, {mail}.",
        )
    elif kind < 0.8:
        res, vals, s = {"name": full, "email": mail}, [full, mail], f"{full}: {mail}."
    else:
        res, vals, s = {"phone": tel, "email": mail}, [tel, mail], f"{who}: {tel}, {mail}."
    task = Task("contact", phrases, bound(sp, who), dumps(res), s, vals)
    task.mail, task.who = mail, who
    return task


def send(r, sp, to=None):
    text, mail = free(r, 2, 8), to or email(r)
    phrases = ways("send", mail=mail, text=text)
    i = code(r)
    res = r.choice([{"sent": True, "id": i}, {"id": i}, {"id": i, "sent": True}])
    task = Task(
        "send", phrases, bound(sp, mail, text), dumps(res), f"The message {i} is sent to {mail}.", [i]
    )
    return task if to else failing(r, task)


MAKERS = {
    "weather": weather,
    "search": search,
    "read": read,
    "remind": remind,
    "calc": calc,
    "contact": contact,
    "send": send,
}
