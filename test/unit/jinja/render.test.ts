/** What a render keeps of its context, what the clock shows, and what it may cost. */
import { describe, expect, test } from "bun:test";
import { parseTemplate, renderTemplate, TemplateRaised } from "../../../src/jinja/renderTemplate.ts";
import type { JsonObject } from "../../../src/json/json.ts";
import { isJsonObject } from "../../../src/json/kinds.ts";
import { parseJson } from "../../../src/json/parseJson.ts";
import { writeJson } from "../../../src/json/writeJson.ts";
import { processorTime } from "../../support/processorTime.ts";

const DAY = new Date(2026, 0, 5, 9, 41);

function context(json: string): JsonObject {
  const value = parseJson(json);
  if (!isJsonObject(value)) throw new Error(json);
  return value;
}

function rendered(template: string, json = "{}", today = DAY): string {
  return renderTemplate(parseTemplate(template), context(json), today);
}

describe("a request's values", () => {
  test("a number of any length is what was sent, at once", () => {
    const digits = "7".repeat(300_000);
    const many = `{"a": [${Array(40).fill(digits).join(", ")}]}`;
    const used = processorTime();
    expect(rendered("{{ a | tojson }}", many) === many.slice(6, -1)).toBe(true);
    expect(used()).toBeLessThan(4_000);
  });

  const odd =
    '{"a": {"b": 2.0, "10": 1e-7, "2": 12345678901234567890, "z": null, "é": [true, {"k": -0.50}]}}';

  test("numbers keep their spelling and keys their order, printed as JSON and as Python", () => {
    expect(rendered("{{ a | tojson }}", odd)).toBe(odd.slice(6, -1));
    expect(rendered("{{ a }}", odd)).toBe(
      "{'b': 2.0, '10': 1e-7, '2': 12345678901234567890, 'z': None, 'é': [True, {'k': -0.50}]}",
    );
    expect(rendered("{{ a['2'] + 1 }}|{{ a.b + 1 }}|{{ a.b == 2 }}|{{ a['10'] < 1 }}", odd)).toBe(
      "12345678901234567891|3.0|True|True",
    );
  });

  test("a template may change them without changing the request's", () => {
    const given = context('{"l": [1], "d": {"k": 1}}');
    const before = writeJson(given);
    const text = renderTemplate(
      parseTemplate("{{ l.append(2) }}{{ d.update(k=2) }}{{ l }}{{ d }}"),
      given,
      DAY,
    );
    expect(text).toBe("NoneNone[1, 2]{'k': 2}");
    expect(writeJson(given)).toBe(before);
  });

  test("may be named like a global", () => {
    expect(rendered("{{ range }}{{ namespace }}", '{"range": "r", "namespace": "n"}')).toBe("rn");
  });

  test("a key __proto__ is a key", () => {
    expect(rendered("{{ d['__proto__'] }}{{ d.constructor is defined }}", '{"d": {"__proto__": 1}}')).toBe(
      "1False",
    );
  });
});

test("what is undefined in JSON is null: Python would refuse the request", () => {
  expect(rendered("{{ {'a': x} | tojson }}")).toBe('{"a": null}');
});

describe("strftime_now", () => {
  const all =
    "%a|%A|%b|%B|%h|%d|%e|%m|%y|%Y|%C|%j|%U|%W|%V|%G|%g|%u|%w|%H|%I|%M|%S|%p|%f|%F|%D|%T|%R|%r|%c|%x|%X|%%|%-d|%-m|%-j|%z%Z|";
  const shown = (today: Date) => rendered(`{{ strftime_now(${JSON.stringify(all)}) }}`, "{}", today);

  test.each([
    [
      new Date(2026, 0, 5, 23, 59),
      "Mon|Monday|Jan|January|Jan|05| 5|01|26|2026|20|005|01|01|02|2026|26|1|1|00|12|00|00|AM|000000|2026-01-05|01/05/26|00:00:00|00:00|12:00:00 AM|Mon Jan  5 00:00:00 2026|01/05/26|00:00:00|%|5|1|5||",
    ],
    [
      new Date(2024, 11, 31),
      "Tue|Tuesday|Dec|December|Dec|31|31|12|24|2024|20|366|52|53|01|2025|25|2|2|00|12|00|00|AM|000000|2024-12-31|12/31/24|00:00:00|00:00|12:00:00 AM|Tue Dec 31 00:00:00 2024|12/31/24|00:00:00|%|31|12|366||",
    ],
    [
      new Date(2023, 0, 1),
      "Sun|Sunday|Jan|January|Jan|01| 1|01|23|2023|20|001|01|00|52|2022|22|7|0|00|12|00|00|AM|000000|2023-01-01|01/01/23|00:00:00|00:00|12:00:00 AM|Sun Jan  1 00:00:00 2023|01/01/23|00:00:00|%|1|1|1||",
    ],
  ])("%p: all directives as in C, the time of day midnight", (today, expected) => {
    expect(shown(today)).toBe(expected);
  });
});

describe("a template that would never end is refused", () => {
  test.each([
    ["a macro that calls itself", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "deep"],
    [
      "a macro that calls itself twice",
      "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(200) }}",
      "steps",
    ],
    [
      "loops in loops",
      "{% for a in range(99999) %}{% for b in range(99999) %}{% for c in range(99999) %}{% endfor %}{% endfor %}{% endfor %}",
      "steps",
    ],
    ["a range without end", "{{ range(10 ** 12) }}", "Range too big"],
    [
      "text that doubles",
      "{% set ns = namespace(t='ab') %}{% for i in range(99) %}{% set ns.t = ns.t + ns.t %}{% endfor %}{{ ns.t }}",
      "longer than",
    ],
    ["text times a billion", "{{ 'ab' * 10 ** 9 }}", "longer than"],
    [
      "a list that doubles",
      "{% set ns = namespace(l=[1]) %}{% for i in range(99) %}{% set ns.l = ns.l + ns.l %}{% endfor %}",
      "longer than",
    ],
    ["a width of a billion", "{{ 'a'.center(10 ** 12) }}{{ '%1000000000d' % 1 }}", "longer than"],
    ["tabs of a billion", "{{ 'a\tb'.expandtabs(10 ** 9) }}", "longer than"],
    [
      "a number that squares itself",
      "{% set ns = namespace(n=10) %}{% for i in range(40) %}{% set ns.n = ns.n * ns.n %}{% endfor %}{{ ns.n }}",
      "digits",
    ],
    ["a million digits", "{{ ('9' * 10 ** 6) | int }}", "digits"],
    ["JSON indented by a hundred million", "{{ [1, [2, [3]]] | tojson(indent=10 ** 8) }}", "longer than"],
    ["a loop that calls itself", "{% for a in [[1]] recursive %}{{ loop([[1]]) }}{% endfor %}", "deep"],
  ])("%s", (_, template, why) => {
    const used = processorTime();
    expect(() => rendered(template)).toThrow(why);
    expect(used()).toBeLessThan(20_000);
  });

  test("a schema as deep as a request may nest is not", () => {
    const deep = `${'{"a": '.repeat(250)}1${"}".repeat(250)}`;
    const walk =
      "{% macro m(d) %}{% if d is mapping %}{% for k, v in d.items() %}<{{ m(v) }}>{% endfor %}{% endif %}{% endmacro %}{{ m(x) | length }}";
    expect(rendered(walk, `{"x": ${deep}}`)).toBe("500");
  });
});

test("a template's own words are told from what it could not do", () => {
  expect(() => rendered("{{ raise_exception('No.') }}")).toThrow(TemplateRaised);
  expect(() => rendered("{{ x.y }}")).not.toThrow(TemplateRaised);
  expect(() => rendered("{{ x.y }}")).toThrow("'x' is undefined");
});
