import { describe, expect, it } from "vitest";

import { parse, Template, tokenize } from "../src/index";

/** Template, and what Jinja2 3.1 renders of it with `a = 1`, `b = 2`, `items = [1, 2, 3]`. */
const RENDERED = {
	"chained comparisons": [
		["{{ 1 < 2 < 3 }}", "true"],
		["{{ 3 > 2 > 2 }}", "false"],
		["{{ 1 < 2 == 2 }}", "true"],
	],
	"tests with arguments": [
		["{{ 4 is divisibleby(2) }}", "true"],
		["{{ 4 is divisibleby 3 }}", "false"],
		["{{ 2 is in [1, 2] }}", "true"],
		["{{ 2 is not in [1, 3] }}", "true"],
		["{{ 'yes' if 4 is divisibleby 2 else 'no' }}", "yes"],
	],
	with: [
		["{% with %}{% set a = 5 %}{{ a }}{% endwith %}{{ a }}", "51"],
		["{% with a = 3, b = a %}{{ a }}{{ b }}{% endwith %}{{ a }}{{ b }}", "3112"],
	],
	block: [["{% block head %}{{ a }}{% endblock head %}", "1"], ["{% block head scoped %}{{ b }}{% endblock %}", "2"]],
	"filters of a set block": [["{% set x | upper | trim %} ab {% endset %}[{{ x }}]", "[AB]"]],
	"several filters of a filter block": [["{% filter upper | trim %} ab {% endfilter %}", "AB"]],
	"tuples with a trailing comma": [["{% for x in (7,) %}{{ x }}{% endfor %}", "7"]],
	"an empty tuple": [["{% for x in () %}{{ x }}{% else %}none{% endfor %}", "none"]],
	"a sequence without parentheses": [["{% for x in 1, 2, 3 %}{{ x }}{% endfor %}", "123"]],
};

describe("Syntax", () => {
	for (const [name, cases] of Object.entries(RENDERED)) {
		for (const [source, text] of cases) {
			it(`${name}: ${source}`, () => {
				expect(new Template(source).render({ a: 1, b: 2, items: [1, 2, 3] })).toBe(text);
			});
		}
	}

	const body = (source) => parse(tokenize(source)).body;

	it("lets ~ bind tighter than + and -", () => {
		const [sum] = body("{{ a + 2 ~ 3 }}");
		expect([sum.operator.value, sum.right.operator.value]).toEqual(["+", "~"]);
		expect(body("{{ 2 ~ 3 * 4 }}")[0].operator.value).toBe("~");
	});

	it("keeps all digits of an integer", () => {
		expect(body("{{ 12345678901234567890 }}")[0].value).toBe(12345678901234567890n);
		expect(body("{{ -9 }}")[0].value).toBe(-9);
	});

	it("marks recursive loops", () => {
		expect(body("{% for x in items recursive %}{% endfor %}")[0].recursive).toBe(true);
		expect(body("{% for x in items %}{% endfor %}")[0].recursive).toBe(false);
	});

	it("reads a method in a call block", () => {
		expect(body("{% call forms.input('a') %}{% endcall %}")[0].call.callee.type).toBe("MemberExpression");
	});

	it("formats what it reads", () => {
		for (const source of ["{{- a is divisibleby(2) -}}", "{{- (a + b) ~ a -}}", "{{- a + b ~ a -}}"]) {
			expect(new Template(source).format()).toBe(source);
		}
	});
});
