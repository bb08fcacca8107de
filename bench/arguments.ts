/**
 * What it costs to compare the arguments of a call with the pinned schema: `node bench/arguments.ts`. Microseconds of the
 * process's own CPU for one call; `decided` is a whole simulated step. The goal is 2 % of a step, which takes Baton about
 * 270 µs in all processes (W(10), 50 in flight).
 */
import { argumentErrors, compile, parseWorkflow } from '@baton/language';
import type { JsonObject } from '@baton/primitives';

import { play } from '../libs/engine/src/index.ts';

const text = { type: 'string', maxLength: 256 };
const inputSchema: JsonObject = {
  type: 'object',
  properties: {
    repo: text,
    title: text,
    body: { type: 'string' },
    labels: { type: 'array', items: text },
    draft: { type: 'boolean' },
    state: { enum: ['open', 'closed'] },
    milestone: { type: 'object', properties: { name: text, due: { type: 'string', format: 'date-time' } } },
  },
  required: ['repo', 'title'],
  additionalProperties: false,
};
const args: JsonObject = {
  repo: 'acme/shop',
  title: 'The build fails',
  body: 'Since today. '.repeat(40),
  labels: ['bug', 'ci', 'urgent'],
  draft: false,
  state: 'open',
  milestone: { name: 'one', due: '2026-05-01T10:00:00Z' },
};

function cpuUs(times: number, act: () => void): number {
  for (let i = 0; i < times / 4; i++) act();
  const before = process.cpuUsage();
  for (let i = 0; i < times; i++) act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}

const stepsCount = 100;
const { workflow } = parseWorkflow(
  `workflow: w\nsteps:\n${Array.from({ length: stepsCount }, (_, i) => `  - { id: s${i}, tool: github/create_issue, with: ${JSON.stringify(args)} }`).join('\n')}\n`,
);
if (workflow === undefined) throw new Error('the workflow does not parse');
const plain = compile(workflow);
const pinned = compile(workflow, { definitions: () => ({ inputSchema }) });

const show = (name: string, us: number): void => void process.stdout.write(`${name.padEnd(40)} ${us.toFixed(2)} µs\n`);
show(
  'a schema that the plan keeps',
  cpuUs(200_000, () => void argumentErrors(inputSchema, args)),
);
show(
  'a schema that was read anew',
  cpuUs(5_000, () => void argumentErrors(structuredClone(inputSchema), args)),
);
for (let round = 0; round < 3; round++) {
  show('decided without a schema', cpuUs(100, () => void play(plain)) / stepsCount);
  show('decided with the pinned schema', cpuUs(100, () => void play(pinned)) / stepsCount);
}
