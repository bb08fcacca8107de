/**
 * What a keystroke costs in an editor: `node bench/editor.ts`. A file of 2,000 lines is read and diagnosed after each of a hundred
 * changes in its middle; completion and hover are asked at the same place. Milliseconds of wall clock; the goal is 30 for a
 * keystroke. Nothing is asserted: what else runs on the machine counts too.
 */
import { type TextReading, complete, diagnose, hover, readText } from '@baton/editor-service';
import { type CheckOptions, DocumentReader } from '@baton/language';

const stepsCount = 220;
const changes = 100;

const step = (i: number): string => `  - id: s${i}
    title: Step number ${i}
    tool: github/create_issue
    effect: write
    timeout: { idle: 2m, total: 10m }
    with:
      title: "Issue ${i} of \${{ inputs.org }}"
      body: "\${{ ${i === 0 ? 'inputs.org' : `json(steps.s${i - 1}.output)`} }}"
      labels: [a, b, c]
`;

const text = `workflow: big\ninputs:\n  org: { type: string }\nsteps:\n${Array.from({ length: stepsCount }, (_, i) => step(i)).join('')}`;
const known: CheckOptions = {};
const middle = text.indexOf('Step number 110') + 'Step number 110'.length;

function measured(name: string, act: (i: number) => void): void {
  for (let i = 0; i < 10; i++) act(i);
  const times = Array.from({ length: changes }, (_, i) => {
    const start = performance.now();
    act(i);
    return performance.now() - start;
  }).toSorted((a, b) => a - b);
  const at = (part: number): string => (times[Math.floor(part * (times.length - 1))] ?? 0).toFixed(1);
  process.stdout.write(`${name.padEnd(12)} median ${at(0.5)} ms, 95 % ${at(0.95)} ms\n`);
}

process.stdout.write(`${text.split('\n').length} lines, ${text.length} characters\n`);
const reader = new DocumentReader();
const completionReader = new DocumentReader();
let reading: TextReading = readText(text, known, reader);
measured('keystroke', (i) => {
  reading = readText(`${text.slice(0, middle)}${'x'.repeat(i % 20)}${text.slice(middle)}`, known, reader);
  diagnose(reading);
});
const inExpression = text.indexOf('inputs.org }}', middle) + 'inputs.'.length;
measured('completion', (i) => {
  const typed = 'org'.slice(0, i % 4);
  const now = text.slice(0, inExpression) + typed + text.slice(inExpression + 'org'.length);
  complete(now, inExpression + typed.length, known, completionReader);
});
measured('hover', () => void hover(reading, middle, 0));
