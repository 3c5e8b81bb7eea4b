"""The words of the demo model's world: common words that become tokens, and makers of names that nobody has seen.

Everything here takes a `random.Random`, so that a seed gives the same corpus on every machine.
"""

COMMON = """
the a an to of in on at for and or with from by about into over after before under near this that these those my your our their his her
it is are was be will can do make get take give buy bring call write read send check clean book order pay plan fix move open close
start stop finish find look ask tell show print copy save update prepare review sign water feed wash pack return visit meet invite
help learn study test run walk cook bake paint build repair charge replace change cancel confirm renew collect drop pick
new old big small red blue green black white long short first last next final weekly monthly early late quick quiet open
book letter report list note notes plan budget invoice ticket car bike bus train flight house room kitchen garden door window table chair
desk lamp phone laptop screen cable keyboard printer paper pen box bag key keys coat shoes shirt milk bread butter cheese eggs coffee tea
water rice soup salad cake apple apples lemon onion garlic fish chicken dog cat bird horse plant plants flowers tree grass river lake
mountain sea beach park street bridge station airport hotel museum library school office shop market bank hospital doctor dentist teacher
boss friend mother father sister brother neighbour team group client customer meeting lunch dinner breakfast party birthday wedding trip
holiday lesson course exam homework project task draft summary agenda contract offer price rent bill tax account payment password backup
server log logs data chart table map photo photos video music song guitar piano game ball camera clock watch medicine pills glasses
rain snow sun wind storm summer winter spring autumn weather news story question answer idea problem result results number numbers file
files folder page pages message mail address name names time day week month year hour minute today tomorrow tonight morning evening noon
noon Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August September October November December
remind reminder remember search what where when who how please could would want need me you he she we they him us them not no yes all some more
there here out up down off back again now then also only just than very too one two three four five six ten hello thanks
""".split()

CITIES = """
Paris Berlin Madrid Rome Vienna Prague Warsaw Lisbon Dublin Athens Oslo Helsinki Copenhagen Amsterdam Brussels Bern Zürich Geneva Munich
Hamburg Cologne Leipzig Dresden Bremen Milan Turin Naples Bologna Florence Venice Genoa Lyon Marseille Nice Toulouse Bordeaux Nantes Lille
Barcelona Valencia Seville Bilbao Málaga Porto Braga Krakow Gdansk Brno Bratislava Budapest Ljubljana Split Belgrade Sofia Bucharest
Istanbul Ankara Cairo Tunis Rabat Dakar Lagos Accra Nairobi Kampala Harare Durban Pretoria Mumbai Delhi Chennai Kolkata Dhaka Karachi Lahore
Tehran Baghdad Amman Beirut Doha Dubai Muscat Tokyo Osaka Kyoto Sapporo Seoul Busan Beijing Shanghai Wuhan Hanoi Bangkok Manila Jakarta
Singapore Sydney Melbourne Perth Auckland Toronto Montréal Ottawa Calgary Boston Chicago Denver Dallas Houston Miami Seattle Portland
Havana Bogotá Quito Lima Santiago Montevideo Asunción Brasília Recife Salvador Caracas Panama Glasgow Leeds Bristol York Cardiff Cork
""".split()
CITY_PARTS = [
    "New",
    "San",
    "Saint",
    "Port",
    "Fort",
    "Los",
    "El",
    "Old",
    "Upper",
    "Bad",
    "Santa",
    "Las",
    "North",
    "West",
    "East",
    "South",
    "Le",
    "La",
]
CITY_ENDS = [
    "City",
    "Falls",
    "Bay",
    "Springs",
    "Beach",
    "Hill",
    "upon Sea",
    "de la Cruz",
    "am Main",
    "Park",
    "Valley",
]

FIRST = """
Ana Marko Ivan Petra Luka Nina Tom Jana Karel Eva Jonas Lena Paul Clara Felix Marie Hugo Louise Pierre Camille Marco Giulia Paolo Chiara
Carlos Lucia Pablo Elena Diego Carmen João Inês Pedro Beatriz Olga Sergei Mila Boris Vera Anders Freja Lars Ingrid Erik Astrid Aino Mikko
Sean Niamh Liam Orla Emma Oliver Grace Henry Alice Jack Ruby George Amir Layla Omar Yasmin Hassan Noor Priya Arjun Ravi Meera Wei Mei Chen
Jin Yuki Kenji Hana Sora Minh Linh Kofi Ama Kwame Zainab Thabo Amara Sofia Mateo Valentina Zoë José René Jürgen Søren Łukasz Zoltán
""".split()
LAST = """
Novak Kovac Horvat Babic Weber Schmidt Fischer Becker Moreau Dubois Laurent Rossi Bianchi Ricci Garcia Lopez Torres Silva Costa Pereira
Ivanov Petrov Larsen Hansen Berg Virtanen Murphy Byrne Kelly Smith Brown Taylor Clark Walker Hill Khan Ahmed Rahman Patel Sharma Singh Li
Wang Zhang Kim Park Tanaka Sato Nguyen Tran Mensah Okafor Dlamini Diallo Fernandez Castro Müller Nováková Sørensen Kowalski Nagy
""".split()

ONSETS = "b c d f g h j k l m n p qu r s t v w x z br ch cl cr dr fl fr gl gr kl kn kr pl pr sc sh sk sl sm sn sp st str sw th tr tw ph wh y".split() + [
    "",
    "",
]
VOWELS = "a e i o u a e i o u ai au ea ee ei ie io oa oo ou ue y".split()
CODAS = (
    ["", "", "", ""]
    + "b ck d f g k l ll m n n n ng nd nk nt p r r rd rk rm rn rt s s ss st t t th v w x z sh ch mp ld lt ps".split()
)
ENDS = [
    "s",
    "er",
    "ing",
    "ed",
    "ants",
    "els",
    "ol",
    "burg",
    "ville",
    "ford",
    "ton",
    "ova",
    "ic",
    "ia",
    "land",
    "port",
    "field",
    "bridge",
    "son",
    "ers",
    "ler",
    "ment",
    "tion",
    "age",
    "ock",
]
EXT = ["md", "txt", "csv", "json", "pdf", "log", "py", "ts", "html", "docx", "yaml", "xml", "ini", "sh"]
TLD = ["org", "com", "net", "de", "io", "fr", "eu", "dev", "co.uk"]
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MONTHS = "January February March April May June July August September October November December".split()


def glued(r):
    """A word that no list holds: syllables, or plain random letters."""
    kind = r.random()
    if kind < 0.28:
        return "".join(r.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(r.randint(2, 8)))
    if kind < 0.4:
        a, b = r.choice(COMMON).lower(), r.choice(COMMON).lower()
        return a[: r.randint(1, 5)] + b[-r.randint(1, 5) :]
    n = r.choice([1, 2, 2, 2, 3, 3])
    word = "".join(r.choice(ONSETS) + r.choice(VOWELS) + r.choice(CODAS) for _ in range(n))
    return word + r.choice(ENDS) if r.random() < 0.3 else word


def cased(r, word):
    kind = r.random()
    return word.upper() if kind < 0.04 else word.capitalize() if kind < 0.12 else word


def word(r):
    """A common word, or one in seven times a glued one."""
    return r.choice(COMMON) if r.random() < 0.86 else glued(r)


def code(r):
    """An id as tools give them: letters and digits mixed."""
    kind = r.random()
    if kind < 0.3:
        return "".join(r.choice("0123456789abcdef") for _ in range(r.randint(4, 10)))
    if kind < 0.6:
        return r.choice("abcdefghijklmnopqrstuvwxyz") + "-" + str(r.randint(10, 99999))
    if kind < 0.8:
        return "".join(r.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ") for _ in range(r.randint(2, 4))) + str(
            r.randint(1, 9999)
        )
    return "".join(
        r.choice("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789")
        for _ in range(r.randint(5, 10))
    )


def city(r):
    kind = r.random()
    base = r.choice(CITIES) if kind < 0.5 else glued(r).capitalize()
    more = r.random()
    if more < 0.1:
        return r.choice(CITY_PARTS) + " " + base
    if more < 0.15:
        return base + " " + r.choice(CITY_ENDS)
    if more < 0.18:
        return base + "-" + glued(r).capitalize()
    return base.lower() if more > 0.97 else base


def person(r, full=None):
    first = r.choice(FIRST) if r.random() < 0.6 else glued(r).capitalize()
    if full is None:
        full = r.random() < 0.5
    if not full:
        return first
    return first + " " + (r.choice(LAST) if r.random() < 0.55 else glued(r).capitalize())


def stem(r):
    """A file's or folder's name without its ending."""
    parts = [word(r).lower() for _ in range(r.choice([1, 1, 1, 2, 2, 3]))]
    text = r.choice("-_-_.").join(parts)
    if r.random() < 0.2:
        text += r.choice(["-", "_", ""]) + str(
            r.choice([r.randint(1, 99), r.randint(2018, 2029), r.randint(100, 9999)])
        )
    return text.capitalize() if r.random() < 0.12 else text.upper() if r.random() < 0.03 else text


def path(r):
    name = stem(r) + "." + (r.choice(EXT) if r.random() < 0.9 else glued(r)[:3])
    depth = r.choice([0, 0, 0, 1, 1, 1, 2, 3])
    folders = [word(r).lower() if r.random() < 0.7 else stem(r) for _ in range(depth)]
    start = r.choice(["", "", "", "/", "./", "~/"]) if depth else r.choice(["", "", "", "", "/", "./"])
    return start + "/".join(folders + [name])


def email(r, name=None):
    local = (name or person(r, False)).lower().replace(" ", r.choice([".", "_", ""]))
    return local + r.choice(["", "", "", str(r.randint(1, 99))]) + "@" + glued(r) + "." + r.choice(TLD)


def phone(r):
    return (
        "+" + str(r.randint(1, 99)) + " " + " ".join(str(r.randint(10, 9999)) for _ in range(r.randint(2, 3)))
    )


def clock(r):
    kind = r.random()
    hour, minute = r.randint(0, 23), r.choice([0, 15, 30, 45, r.randint(0, 59)])
    if kind < 0.6:
        return f"{hour}:{minute:02d}"
    if kind < 0.7:
        return f"{hour:02d}:{minute:02d}"
    if kind < 0.85:
        return f"{r.randint(1, 12)} {r.choice(['am', 'pm'])}"
    return f"{r.randint(1, 12)}{r.choice(['am', 'pm'])}" if kind < 0.95 else "noon"


def date(r):
    kind = r.random()
    day, month = r.randint(1, 31), r.choice(MONTHS)
    if kind < 0.3:
        return f"{day} {month}"
    if kind < 0.5:
        return f"{month} {day}"
    if kind < 0.65:
        return f"{r.randint(2024, 2031)}-{r.randint(1, 12):02d}-{day:02d}"
    if kind < 0.75:
        return f"{day} {month} {r.randint(2024, 2031)}"
    return r.choice(DAYS) if kind < 0.95 else f"{day}.{r.randint(1, 12)}.{r.randint(2024, 2031)}"


def when(r):
    """(words in the user's sentence, argument): the first `on` or `at` is not part of the argument."""
    kind = r.random()
    if kind < 0.2:
        t = clock(r)
        return "at " + t, t
    if kind < 0.35:
        d = date(r)
        return "on " + d, d
    if kind < 0.6:
        d = f"{date(r)} at {clock(r)}"
        return "on " + d, d
    if kind < 0.8:
        t = r.choice(
            [
                "tomorrow",
                "tonight",
                "today",
                "next week",
                "next " + r.choice(DAYS),
                "this evening",
                "tomorrow morning",
                "every day",
                "every " + r.choice(DAYS),
            ]
        )
        t += " at " + clock(r) if r.random() < 0.6 and t != "next week" else ""
        return t, t
    unit = r.choice(["minutes", "minutes", "hours", "days", "weeks"])
    t = f"in {r.randint(2, 90)} {unit}"
    return t, t


def odd(r):
    """Marks that names and sums bring along."""
    n = str(r.randint(1, 999))
    return r.choice(
        [
            "#" + n,
            n + "%",
            "$" + n,
            n + "€",
            "£" + n,
            "[" + word(r) + "]",
            "(" + word(r) + ")",
            word(r) + "=" + n,
            word(r) + "/" + word(r),
            word(r) + "&" + word(r),
            "<" + word(r) + ">",
            word(r) + ";",
            "*" + word(r) + "*",
            "@" + glued(r),
            "~" + n,
            "{" + word(r) + "}",
            word(r) + "'s",
            n + "°",
            "`" + word(r) + "`",
            word(r) + "|" + word(r),
            n + "^2",
            word(r) + " + " + word(r),
            word(r) + "_" + word(r),
            word(r) + ":" + n,
        ]
    )


def free(r, low=2, high=6):
    """A free text of some words, as somebody would write into a reminder or a message."""
    n = r.randint(low, high)
    kind = r.random()
    if kind < 0.5:
        out = [
            r.choice(
                "call write buy bring check clean book order pay plan fix open send print copy review visit meet water feed pack renew collect ask help test move".split()
            )
        ]
        out.append(r.choice(["the", "my", "a", "some", "our", "two", "new"]))
        out += [cased(r, word(r)) for _ in range(max(1, n - 3))]
        if r.random() < 0.3:
            out += [
                r.choice(["for", "with", "to", "from", "about"]),
                r.choice([person, city])(r) if r.random() < 0.7 else word(r),
            ]
    elif kind < 0.7:
        out = [
            r.choice(["call", "write to", "meet", "ask", "visit", "pay", "email", "text", "thank"]),
            person(r),
        ]
        if r.random() < 0.5:
            out += [r.choice(["about the", "with the", "for a", "about"]), word(r)]
    else:
        out = [cased(r, word(r)) for _ in range(n)]
        if r.random() < 0.15:
            out.insert(
                r.randrange(len(out) + 1), r.choice([code, lambda q: str(q.randint(1, 5000)), phone])(r)
            )
        if r.random() < 0.12:
            out.insert(r.randrange(len(out) + 1), odd(r))
    return " ".join(out)


def prose(r, tokens):
    """Sentences for a file's content, about `tokens` words long."""
    out, n = [], 0
    while n < tokens:
        k = r.randint(3, 9)
        s = [word(r) for _ in range(k)]
        s[0] = s[0].capitalize()
        if r.random() < 0.2:
            s.insert(
                r.randrange(1, len(s)),
                r.choice([code(r), str(r.randint(2, 99999)), person(r), clock(r), odd(r)]),
            )
        out.append(" ".join(s) + r.choice([".", ".", ".", "!"]))
        n += k
    return " ".join(out)


def amount(r):
    kind = r.random()
    if kind < 0.5:
        return str(r.choice([r.randint(1, 99), r.randint(100, 9999), r.randint(10000, 999999)]))
    return (
        f"{r.randint(0, 999)}.{r.randint(0, 99):02d}"
        if kind < 0.8
        else f"{r.randint(1, 99)}.{r.randint(1, 9)}"
    )
