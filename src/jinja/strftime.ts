/** C's `strftime` with English names. Only the clock's date is let into a prompt: the time of day is midnight. */

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

export function strftime(format: string, today: Date): string {
  const parts = partsOf(today);
  return format.replace(/%([-_0^#]?)([A-Za-z%])/g, (whole, flag: string, key: string) => {
    const part = parts[key];
    if (part === undefined) return whole;
    const text = part.includes("%") && key !== "%" ? strftime(part, today) : part;
    if (flag === "-") return text.replace(/^[0 ]+(?=.)/, "");
    if (flag === "_") return text.replace(/^0+(?=\d)/, (zeros) => " ".repeat(zeros.length));
    return flag === "^" ? text.toUpperCase() : text;
  });
}

function partsOf(today: Date): Readonly<Record<string, string>> {
  const two = (value: number) => String(value).padStart(2, "0");
  const year = today.getFullYear();
  const month = today.getMonth();
  const day = today.getDate();
  const weekday = today.getDay();
  const yearDay = Math.round((Date.UTC(year, month, day) - Date.UTC(year, 0, 1)) / 86_400_000);
  const iso = isoWeek(year, month, day);
  return {
    a: (DAYS[weekday] ?? "").slice(0, 3),
    A: DAYS[weekday] ?? "",
    b: (MONTHS[month] ?? "").slice(0, 3),
    h: (MONTHS[month] ?? "").slice(0, 3),
    B: MONTHS[month] ?? "",
    c: "%a %b %e %H:%M:%S %Y",
    C: two(Math.floor(year / 100)),
    d: two(day),
    D: "%m/%d/%y",
    e: String(day).padStart(2, " "),
    f: "000000",
    F: "%Y-%m-%d",
    g: two(iso.year % 100),
    G: String(iso.year),
    H: "00",
    I: "12",
    j: String(yearDay + 1).padStart(3, "0"),
    k: " 0",
    l: "12",
    m: two(month + 1),
    M: "00",
    n: "\n",
    p: "AM",
    P: "am",
    r: "%I:%M:%S %p",
    R: "%H:%M",
    s: String(Math.floor(new Date(year, month, day).getTime() / 1000)),
    S: "00",
    t: "\t",
    T: "%H:%M:%S",
    u: String(weekday === 0 ? 7 : weekday),
    U: two(Math.floor((yearDay + 7 - weekday) / 7)),
    V: two(iso.week),
    w: String(weekday),
    W: two(Math.floor((yearDay + 7 - ((weekday + 6) % 7)) / 7)),
    x: "%m/%d/%y",
    X: "%H:%M:%S",
    y: two(year % 100),
    Y: String(year),
    // A date without a time zone has neither.
    z: "",
    Z: "",
    "%": "%",
  };
}

/** The ISO week is that of its Thursday. */
function isoWeek(year: number, month: number, day: number): { readonly year: number; readonly week: number } {
  const thursday = new Date(Date.UTC(year, month, day));
  thursday.setUTCDate(thursday.getUTCDate() + 4 - (thursday.getUTCDay() || 7));
  const start = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  return {
    year: thursday.getUTCFullYear(),
    week: Math.ceil(((thursday.getTime() - start) / 86_400_000 + 1) / 7),
  };
}
