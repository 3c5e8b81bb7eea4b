"""How users say it: for each kind of request, its sentences, parted by semicolons; names in braces are filled in."""

WAYS = {
    "weather": """
what is the weather in {c};what's the weather like in {c};how is the weather in {c};
check the weather in {c};tell me the weather in {c};get the weather for {c};weather in {c};
look up the weather in {c};show me the weather for {c};is it cold in {c};is it raining in {c};
what's it like outside in {c};do I need an umbrella in {c};how warm is it in {c};{c} weather;
what is the temperature in {c};give me the forecast for {c};will it rain in {c} today;
find out the weather in {c};how cold is it in {c} now;what's the weather for {c};weather for {c}""",
    "search": """
search for {q};search files for {q};find files about {q};search my files for {q};
which files are about {q};find the files about {q};look for files about {q};
search the workspace for {q};do I have files about {q};which files mention {q};
find all files that mention {q};are there any files about {q};show me files about {q};
where are the files about {q};search the folder for {q};look for {q} in my files;
list the files about {q};any files on {q}""",
    "reading": """
read {p};open {p};read the file {p};show me {p};what is in {p};what does {p} say;open the file {p};
show the file {p};print {p};what's in {p};what is written in {p};read {p} to me;read me {p};
show me the file {p};display {p};have a look at {p};what's inside {p};give me the text of {p}""",
    "read": """
what is the {name} in {p};what does {p} say about the {name};look up the {name} in {p};
tell me the {name} from {p};find the {name} in {p};which {name} is in {p}""",
    "remind": """
remind me to {text} {said};set a reminder to {text} {said};please remind me {said} to {text};
remind me {said} to {text};set a reminder {said}: {text};add a reminder to {text} {said};
I need a reminder {said} to {text};create a reminder: {text} {said};
make a reminder to {text} {said};don't let me forget to {text} {said};
{said} I must {text}, remind me;new reminder: {text} {said}""",
    "calc": """
what is {said};calculate {said};compute {said};how much is {said};work out {said};{said};
what's {said};please calculate {said};{said} = ?;tell me what {said} is;solve {said}""",
    "contact": """
what is the phone number of {who};find the contact {who};look up {who};how can I reach {who};
what is {who}'s email;find {who} in my contacts;give me the address of {who};find contact {who};
what's {who}'s number;who is {who};get me the contact of {who};what is the email address of {who};
I need the number of {who};search my contacts for {who};show me {who}'s contact""",
    "send": """
send {mail} a message: {text};write to {mail}: {text};send a message to {mail}: {text};
send the message {text} to {mail};message {mail}: {text};tell {mail} that {text};
email {mail}: {text};send {text} to {mail};write {mail} that {text}""",
    "pair": """
first {x}, then {y};{x}, then {y};{x} and then {y};{x}. After that {y};{x}, and after that {y};
{x}. Then {y};first {x} and then {y}""",
    "parallel": """
{x} and {y};{x} and also {y};{x}, and {y};{x}. Also {y};{x} and at the same time {y}""",
    "mail": """
send {w} a message: {text};tell {w} that {text};write to {w}: {text};message {w}: {text};
send a message to {w}: {text};let {w} know that {text};email {w}: {text};
find {w} and send this message: {text};look up {w} and write: {text};write {w} that {text};
send the message {text} to {w}""",
    "found": """
find the file about {q} and read it;search for {q} and open the first file;
find files about {q} and show me the first one;look for {q} and read what you find;
open the file about {q};read the file about {q};what does the file about {q} say;
search for {q} and read the first result;find my notes about {q} and read them to me;
what is in the file about {q};show me the file about {q}""",
    "forward": """
send the weather in {c} to {mail};tell {mail} the weather in {c};
write to {mail} what the weather in {c} is;check the weather in {c} and send it to {mail};
email the weather in {c} to {mail}""",
    "about": """
my name is {user};I am {user};hello, I am {user};hi, my name is {user};call me {user}""",
    "strange": """
use {name} with {how};call {name} with {how};run {name} with {how};use the tool {name} with {how};
{name} with {how}""",
}


def ways(kind, **filled):
    """All sentences of a kind, filled."""
    return [way.format(**filled) for way in WAYS[kind].replace("\n", "").split(";")]
