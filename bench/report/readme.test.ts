/** README.md says of speed what was measured, and nothing else. */
import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const { full } = JSON.parse(read('bench/results/ratios.json')) as { full: Record<string, number> };
const measured = read('docs/performance.md');
const claimed = /## What durability costs\n([\s\S]*?)\n## /.exec(read('README.md'))?.[1] ?? '';

/** What each row of the table is beside, in order, and each further figure of the text. */
const rows = [
  ['Restate', 'throughput.w3.c50.rest.vsRestateHttp'],
  ['Mastra', 'throughput.w3.c50.rest.vsMastraHttp'],
  ['DBOS', 'throughput.w3.c50.rest.vsDbosHttp'],
  ['written by hand for these three steps alone', 'throughput.w3.c50.rest.vsFloorHttp'],
  ['BullMQ by hand, a job per step', 'throughput.w3.c50.vsByHandStep'],
  ['BullMQ by hand, a job per run', 'throughput.w3.c50.vsByHandRun'],
] as const;
const sentences = [
  ['cpu.step.vsFloor', /costs Baton (\d\.\d\d) times the CPU that it costs the floor \(([^)]+)\)/],
  [
    'latency.w3.idle.rest.vsRestate',
    /takes (\d\.\d\d) of the time that it takes on Restate \(([^)]+)\), over HTTP both/,
  ],
] as const;

const figures = (text: string): string[] => text.match(/\d+\.\d\d/g) ?? [];

test('every row of the table is what was measured: like beside like', () => {
  const table = claimed.split('\n').filter((line) => /\d \(.*\) \|$/.test(line));
  const said = table.map((line) =>
    line
      .split('|')
      .map((cell) => cell.trim())
      .slice(2, 4),
  );
  expect(said.map(([beside]) => beside)).toEqual(rows.map(([beside]) => expect.stringMatching(`^${beside}`)));
  expect(said.map(([, ratio]) => ratio)).toEqual(rows.map(([, name]) => tellOf(name)));
});

test.each(sentences)('the text says %s as it was measured', (name, sentence) => {
  const [, median, range] = sentence.exec(claimed) ?? [];
  expect(`${median} (${range})`).toBe(tellOf(name));
});

test('no other figure is told', () => {
  const names = [...rows.map(([, name]) => name), ...sentences.map(([name]) => name)];
  const known = new Set(names.flatMap((name) => figures(tellOf(name))));
  expect(figures(claimed).filter((figure) => !known.has(figure))).toEqual([]);
});

/** As docs/performance.md has it, `2.97 (2.96–3.52)`, whose median is that of the results on file. */
function tellOf(name: string): string {
  const [, told = '', median = ''] =
    new RegExp(`\`${name}\`[^|]*\\| ((\\d\\.\\d\\d) \\([^)]+\\)) \\|`).exec(measured) ?? [];
  expect(Math.abs(Number(median) - (full[name] ?? NaN))).toBeLessThan(0.0051);
  return told;
}
