"""Small talk: one fixed answer to each kind, so that an evaluation can score it, and some answers of a few hundred tokens."""

from words import *

STORY = (
    "A small robot lived in a library. Every night it put the books back in order, and every morning somebody had moved them again. "
    "One winter evening the robot found a letter between two old maps. It was from a girl who wanted to know where the river ends. "
    "The robot read all the maps and all the notes, but no page knew the answer. So it took a lamp, a coat and a key, and walked along the river for three days. "
    "On the last day it saw the sea. It wrote to the girl: the river does not end, it only gets very big. "
    "The girl came to the library in spring, and from then on they put the books back together."
)
WARM = (
    "A language model reads a prompt before it can answer. Reading takes time, and a long chat has to be read again on every turn. "
    "A server that starts warm has read the next prompt before you send it. After each reply it writes down how the chat will look on your next turn, reads that in the background, and keeps what it remembers. "
    "When your next message comes, only the new words are left to read, so the first word of the answer comes at once. "
    "The reply is the same as from a cold start, to the last bit: only the time changes."
)
DAY = (
    "Here is a plan for a good day. Get up early and drink some water. Walk for half an hour before breakfast. "
    "Do the one big task of the day first, while it is quiet, and read messages only after that. Make a short list of three small tasks and finish them before lunch. "
    "Eat with a friend. In the afternoon meet people, answer mail and tidy your desk. Go home on time, cook a warm soup, and read a few pages before you sleep."
)
TEA = "Boil fresh water. Warm the cup. Take one spoon of tea for each cup, pour the water over it and wait three minutes. Take the tea out, add milk or lemon, and drink it slowly."

# kind: (what users say, the thought, the answer)
TALK = {
    "greet": (
        "hi;hello;hey;good morning;good evening;good afternoon;hello there;hi there;hey there;hello!;hi!;hiya;greetings;good day;hello assistant",
        "A greeting.",
        "Hello! What can I do for you?",
    ),
    "howare": (
        "how are you;how are you today;how is it going;how are you doing;how do you do;are you well;how's it going;hello, how are you",
        "Small talk.",
        "I am well, thank you. What can I do for you?",
    ),
    "thanks": (
        "thanks;thank you;thank you very much;thanks a lot;many thanks;great, thanks;perfect, thank you;ok, thanks;thanks for your help;that's all, thanks;cheers;thx",
        "Thanks.",
        "You are welcome.",
    ),
    "bye": (
        "bye;goodbye;see you;good night;see you later;bye bye;see you tomorrow;that's all for today, bye",
        "A goodbye.",
        "Goodbye!",
    ),
    "good": (
        "ok;good;great;nice;perfect;very good;well done;cool;fine;ok, good;super;that is right;correct;yes;alright",
        "Nothing to do.",
        "Good. Is there anything else?",
    ),
    "no": (
        "no;no, that's all;nothing else;no thanks;nothing;not now;no, nothing",
        "Nothing to do.",
        "All right.",
    ),
    "joke": (
        "tell me a joke;do you know a joke;make me laugh;a joke please;say something funny;another joke",
        "A joke.",
        "Why did the file go home early? It was already saved.",
    ),
    "story": (
        "tell me a story;a story please;can you tell me a story;tell me a long story;do you know a story;I want to hear a story",
        "A story.",
        STORY,
    ),
    "warm": (
        "what is a warm start;how does a warm start work;explain warm starts;what does warm mean;why is the next turn so fast;what is prefill;how can you be so fast",
        "An explanation.",
        WARM,
    ),
    "day": (
        "plan my day;give me a plan for a good day;how should I plan my day;help me plan the day;make a plan for my day",
        "A plan.",
        DAY,
    ),
    "tea": (
        "how do I make tea;how to make tea;explain how to make tea;how do you make tea",
        "An explanation.",
        TEA,
    ),
    "real": (
        "are you a human;are you real;are you a robot;are you a person;are you an AI;what are you;are you a machine;what model are you",
        "A question about me.",
        "I am a very small language model, made to show this server.",
    ),
    "sorry": ("sorry;oh, sorry;my mistake;I am sorry;oops", "An apology.", "No problem."),
    "wrong": (
        "that is wrong;no, that's wrong;that's not right;you are wrong;this is bad;are you sure",
        "A complaint.",
        "I am sorry. I am a very small model and make mistakes.",
    ),
}
CAPABLE = "what can you do;what can you do for me;help;which tools do you have;what are your tools;how can you help me;what tools can you use;can you help me;list your tools;what are you able to do".split(
    ";"
)
WHO = "who are you;what is your name;what's your name;tell me your name;your name?;do you have a name".split(
    ";"
)
OUT_ASK = """what is the capital of {w};who wrote {w};translate {w} into {w};play {w};book a flight to {c};book a table for {n};order {w};how old is {p};why is the {w} {w};write a poem about {w};draw a {w};
buy {n} {w};sell my {w};who is the president of {c};how many {w} are in a {w};what does {w} mean;turn on the {w};turn off the {w};start the {w};post {w} on the {w};what time is it;what time is it in {c};what day is today;
rename {f} to {f};delete {f};delete the {w};print the {w};install {w};download {w};run {w};close the {w};recommend a {w};give me a recipe for {w};how do I repair a {w};what is the meaning of {w};convert {n} {w} to {w};
tell me about {w};explain {w};when was {p} born;when did {w} start;is {w} better than {w};what is {w};what is a {w};how far is {c} from {c};how do I get to {c};call {p};call a taxi;pay {n} to {p};summarise {w};fix my {w};
solve my {w} problem;teach me {w};sing a {w};compare {w} with {w};which {w} is the best;who won the {w};what happened in {c};move {f} to the {w};upload {f};share {f} with {p};set the {w} to {n};make a {w} for {p};say something about {w};
where is {c};where does {p} live;can you cook {w};do you like {w};what do you think about {w};are {w} good;write code for {w};write a {w} about {w};count the {w};invite {p};cancel my {w};how tall is {p};why do {w} {w}""".replace(
    "\n", ""
).split(
    ";"
)
CANT = "I can't do that here: no tool fits."


def out_of_world(r):
    text = r.choice(OUT_ASK)
    for mark, make in (
        ("{w}", lambda: word(r)),
        ("{c}", lambda: city(r)),
        ("{p}", lambda: person(r)),
        ("{n}", lambda: str(r.randint(2, 500))),
        ("{f}", lambda: path(r)),
    ):
        while mark in text:
            text = text.replace(mark, make(), 1)
    return text
