import { parseWorkflow } from '@baton/language';
import { ServerPolicy, digestTool } from '@baton/protocol';
import { expect, test } from 'vitest';

import type { ServerAnswer } from './catalogueCache.ts';
import { declarationsIn } from './declarationsIn.ts';
import { pinsOf } from './pins.ts';

const tool = (name: string, readOnlyHint: boolean) => {
  const definition = { name, inputSchema: { type: 'object' }, annotations: { readOnlyHint } };
  return { ...definition, digests: digestTool(definition) };
};

const check = { tool: 'find', happened: 'result.output.found' };
const undo = { tool: 'close', with: { id: '${{ call.output.id }}' } };
const policy = ServerPolicy.parse({ tools: { open: { check, undo }, move: { check: { ...check, tool: 'close' } } } });
const tools = [tool('open', false), tool('move', false), tool('close', false), tool('find', true)];

function pinned(steps: string, before = {}, isAway = false): ReturnType<typeof pinsOf> {
  const { workflow } = parseWorkflow(`workflow: w\nsteps:\n${steps}\n`);
  if (workflow === undefined) throw new Error('this is no workflow');
  const offer = { kind: 'known', tools, prompts: [], resources: [], resourceTemplates: [] } as const;
  const answer: ServerAnswer = isAway
    ? { offer: { kind: 'unreachable', reason: 'It is away.' }, tools: undefined, policy }
    : { offer, tools, policy };
  const declarations = declarationsIn('s', { tools: isAway ? [] : tools }, policy);
  return pinsOf(workflow, { answers: new Map([['s', answer]]), before, declarations });
}

test('a version keeps what is declared for its tools, and the tool that a check calls, whose change blocks no run', () => {
  expect(pinned('  - tool: s/open')).toEqual({
    's/open': expect.objectContaining({ effect: 'write', check, undo }),
    's/find': expect.objectContaining({ effect: 'read', isForChecks: true, contract: expect.any(String) }),
  });
});

test('a change of the checking tool blocks runs where a step calls it, too', () => {
  const pins = pinned('  - tool: s/open\n  - tool: s/find');
  expect(Object.keys(pins['s/find'] ?? {})).not.toContain('isForChecks');
});

test('a version keeps the tool that undoes where a step says `undo: declared`', () => {
  expect(Object.keys(pinned('  - { tool: s/open, undo: declared }')).toSorted()).toEqual([
    's/close',
    's/find',
    's/open',
  ]);
});

test('a version keeps no check whose tool may write', () => {
  expect(pinned('  - tool: s/move')['s/move']).not.toHaveProperty('check');
});

test('a version keeps the declaration and the tools of the version before while the server is away', () => {
  const before = pinned('  - { tool: s/open, undo: declared }');
  expect(pinned('  - { tool: s/open, undo: declared }', before, true)).toEqual(before);
});
