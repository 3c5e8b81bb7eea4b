/** A report as text: aligned, no wider than a terminal, coloured where one shows colours. */

import { wrap } from "../../base/wrap.ts";
import { type Look, paint } from "../Look.ts";
import type { DoctorReport, Finding } from "./DoctorReport.ts";
import {
  exactnessRows,
  libraryRows,
  machineRows,
  memoryRows,
  modelRows,
  type Row,
  templateRows,
} from "./reportRows.ts";

/** Ends in a line break. */
export function printReport(report: DoctorReport, look: Look): string {
  const { machine, library, model, template, memory, exactness } = report;
  const sections = [
    section("Machine", machineRows(machine), look),
    ...(library === null ? [] : [section("llama.cpp", libraryRows(library), look)]),
    ...(model === null ? [] : [section("Model", modelRows(model), look)]),
    ...(template === null ? [] : [section("Chat template", templateRows(template), look)]),
    ...(memory === null ? [] : [section("Memory", memoryRows(memory), look)]),
    ...(exactness === null ? [] : [section("Exactness", exactnessRows(exactness, look), look)]),
    findingLines(report.findings, look),
  ];
  return `${sections.join("\n\n")}\n`;
}

const NAME_CHARS = 20;
const LEVEL_CHARS = 7;

function section(title: string, rows: readonly Row[], look: Look): string {
  const lines = rows.map(([name, value]) => besides(`  ${name.padEnd(NAME_CHARS)} `, value, look));
  return [paint(look, "bold", title), ...lines].join("\n");
}

/** On a terminal a long cell is continued in the next line; elsewhere lines are not broken. */
function besides(head: string, text: string, look: Look): string {
  const width = Bun.stringWidth(head);
  const parts = look.isTerminal ? wrap(text, look.columns - width) : [text];
  return `${head}${parts.join(`\n${" ".repeat(width)}`)}`.trimEnd();
}

function findingLines(findings: readonly Finding[], look: Look): string {
  const lines = findings.flatMap(({ level, says, advice }) => {
    const head = level.padEnd(LEVEL_CHARS);
    const advised = advice === "" ? [] : [besides(" ".repeat(LEVEL_CHARS), advice, look)];
    return [besides(paint(look, level === "wrong" ? "red" : "yellow", head), says, look), ...advised];
  });
  const wrong = findings.filter(({ level }) => level === "wrong").length;
  const end =
    wrong === 0 ? "All is well." : wrong === 1 ? "One thing is wrong." : `${wrong} things are wrong.`;
  return [
    ...lines,
    ...(lines.length === 0 ? [] : [""]),
    paint(look, wrong === 0 ? "green" : "red", end),
  ].join("\n");
}
