import { type JsonObject } from '@baton/primitives';
import { ServerPolicy, digestTool, type Tool } from '@baton/protocol';
import type { Pins } from '@baton/store';
import { describe, expect, test } from 'vitest';

import type { ServerAnswer } from '../catalogueCache.ts';
import { effectOf, pinnedTool } from '../pins.ts';
import { type CheckContext, carryOut } from './checkTask.ts';
import type { SeenAnswer, ToolsProof } from './proveTools.ts';

const text = `workflow: sends
inputs:
  to: { type: string }
  priority: { type: string, enum: [low, high] }
  free: {}
steps:
  - id: sent
    tool: s/send
    with: { to: "\${{ inputs.to }}", subject: Hello, priority: "\${{ inputs.priority }}", extra: "\${{ inputs.free }}" }
  - id: noted
    tool: s/note
    with: { id: "\${{ steps.sent.output.id + 1 }}", text: "\${{ steps.sent.output.recipients[0].name }}" }
outputs: { status: "\${{ steps.sent.output.status }}" }
`;

const args = {
  to: { type: 'string' },
  subject: { type: 'string', maxLength: 80 },
  priority: { type: 'string', enum: ['low', 'high'], default: 'low' },
  extra: { type: 'object' },
  tags: { type: 'array', items: { type: 'string' } },
} as const;
const recipient = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
const results = {
  id: { type: 'integer' },
  status: { type: 'string', enum: ['sent', 'queued'] },
  recipients: { type: 'array', items: recipient },
  note: { type: 'string' },
} as const;
const given = ['to'];
const promised = ['id', 'status', 'recipients'];

const inputOf = (properties: JsonObject, required: readonly string[] = given): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const outputOf = (properties: JsonObject, required: readonly string[] = promised): JsonObject => ({
  type: 'object',
  properties,
  required,
});

const send = {
  description: 'Sends it.',
  inputSchema: inputOf(args),
  outputSchema: outputOf(results),
  annotations: { readOnlyHint: false, idempotentHint: true, destructiveHint: false },
};

const note = { inputSchema: inputOf({ id: { type: 'integer' }, text: { type: 'string' } }, ['id', 'text']) };

const toolOf = (name: string, definition: object): Tool => {
  const tool = { name, ...definition };
  return { ...tool, digests: digestTool(tool) } as Tool;
};

const answerOf = (tools: readonly Tool[], policy: object = {}): ServerAnswer => ({
  offer: { kind: 'known', tools, prompts: [], resources: [], resourceTemplates: [] },
  tools,
  policy: ServerPolicy.parse(policy),
});

const pinOf = (tool: Tool): Pins[string] => ({
  ...effectOf(tool.name, tool, ServerPolicy.parse({})),
  ...pinnedTool(tool),
});

const pinsOf = (sent: object): Pins => ({
  's/send': pinOf(toolOf('send', sent)),
  's/note': pinOf(toolOf('note', note)),
});

const structured = { id: 7, status: 'sent', recipients: [{ name: 'Ada' }], note: 'ok' };
const seen: SeenAnswer = {
  tool: 's/send',
  runId: 'r1',
  path: 'sent',
  result: { content: [], structuredContent: structured },
};

interface Trial {
  readonly before?: object;
  readonly policy?: object;
  readonly answers?: readonly SeenAnswer[];
}

async function proofOf(now: object | undefined, { before = send, policy, answers = [seen] }: Trial = {}) {
  const tools = [...(now === undefined ? [] : [toolOf('send', now)]), toolOf('note', note)];
  const asked = new Map([['s', answerOf(tools, policy)]]);
  const known: CheckContext = { nowMs: 0, asked, unasked: [], before: pinsOf(before) };
  return (await carryOut({ kind: 'prove', text, known, answers }, () => undefined)) as ToolsProof;
}

const withInput = (properties: JsonObject, required?: readonly string[]): object => ({
  ...send,
  inputSchema: inputOf(properties, required),
});
const withOutput = (properties: JsonObject, required?: readonly string[]): object => ({
  ...send,
  outputSchema: outputOf(properties, required),
});
const without = (members: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([key]) => key !== name));

/** Changes that no call and no expression of the workflow depends on. */
const compatible: readonly (readonly [string, object])[] = [
  ['takes a new optional argument', withInput({ ...args, volume: { type: 'integer' } })],
  ['takes a new optional argument with a default', withInput({ ...args, volume: { type: 'integer', default: 3 } })],
  [
    'needs a new argument with a default, which Baton fills in',
    withInput({ ...args, bcc: { type: 'string', default: 'them' } }, ['to', 'bcc']),
  ],
  ['no longer takes an argument that the call does not give', withInput(without(args, 'tags'))],
  ['takes more values', withInput({ ...args, priority: { ...args.priority, enum: ['low', 'high', 'urgent'] } })],
  ['takes longer texts', withInput({ ...args, subject: { type: 'string', maxLength: 120 } })],
  [
    'takes shorter texts, and the written one is short',
    withInput({ ...args, subject: { type: 'string', maxLength: 9 } }),
  ],
  ['no longer needs an argument', withInput(args, [])],
  ['takes a further type', withInput({ ...args, to: { type: ['string', 'null'] } })],
  ['needs an argument that the call always gives', withInput(args, ['to', 'subject'])],
  ['answers with a further member', withOutput({ ...results, at: { type: 'string' } })],
  ['no longer answers with a member that nothing reads', withOutput(without(results, 'note'))],
  ['always answers with what was optional', withOutput(results, [...promised, 'note'])],
];

/** Changes after which the workflow must not go on by itself. */
const breaking: readonly (readonly [string, object, RegExp])[] = [
  ['needs a new argument', withInput({ ...args, volume: {} }, ['to', 'volume']), /needs the argument "volume"/],
  ['no longer takes an argument that the call gives', withInput(without(args, 'subject')), /no argument "subject"/],
  [
    'takes fewer values',
    withInput({ ...args, priority: { ...args.priority, enum: ['low'] } }),
    /arguments of "s\/send"/,
  ],
  ['takes another type', withInput({ ...args, to: { type: 'integer' } }), /takes an integer/],
  [
    'takes shorter texts than the written one',
    withInput({ ...args, subject: { type: 'string', maxLength: 3 } }),
    /subject/,
  ],
  ['takes only some texts', withInput({ ...args, to: { type: 'string', pattern: '@' } }), /arguments of "s\/send"/],
  [
    'takes less of an argument whose type was never known',
    withInput({ ...args, extra: { type: 'object', required: ['a'] } }),
    /arguments of "s\/send"/,
  ],
  ['has another default', withInput({ ...args, priority: { ...args.priority, default: 'high' } }), /another default/],
  ['no longer answers with a member that is read', withOutput(without(results, 'id'), ['status', 'recipients']), /id/],
  ['answers with another type', withOutput({ ...results, id: { type: 'string' } }), /id/],
  ['may leave out a member that is read', withOutput(results, ['status', 'recipients']), /id/],
  [
    'answers with items that lack a member that is read',
    withOutput({ ...results, recipients: { type: 'array', items: { type: 'object', properties: { mail: {} } } } }),
    /name/,
  ],
  ['no longer says what a member is that is read', withOutput({ ...results, id: {} }), /id/],
  [
    'may answer with a further value that is an output',
    withOutput({ ...results, status: { type: 'string' } }),
    /status/,
  ],
  ['no longer describes its answers', { ...send, outputSchema: undefined }, /id|recipients/],
  [
    'promises what a recorded answer does not keep',
    withOutput({ ...results, note: { type: 'integer' } }),
    /answer of s\/send to sent in the run r1 does not fit any more: .*\/note.*[^.]\.$/,
  ],
  [
    'no longer says that a repetition has no effect',
    { ...send, annotations: { readOnlyHint: false, destructiveHint: false } },
    /effect of s\/send was `idempotent`, and is `write`/,
  ],
];

describe('Of thirty changes of a tool each is decided right', () => {
  test.each(compatible)('A workflow goes on with a tool that %s.', async (_, now) => {
    const { unproven, pins } = await proofOf(now);
    expect(unproven).toEqual([]);
    expect(pins['s/send']?.contract).toBe(toolOf('send', now).digests.contract);
    expect(pins['s/note']).toEqual(pinsOf(send)['s/note']);
  });

  test.each(breaking)('A workflow does not go on with a tool that %s.', async (_, now, why) => {
    const { unproven } = await proofOf(now);
    expect(unproven.map(({ message }) => message).join(' ')).toMatch(why);
  });
});

describe('Further, a workflow does not go on with a tool', () => {
  test('A workflow does not go on with a tool that is gone.', async () => {
    expect((await proofOf(undefined)).unproven).toMatchObject([{ message: 's/send is gone.' }]);
  });

  test('A workflow does not go on where the declared undo of a tool does not fit any more.', async () => {
    const undo = { tool: 'recall', with: { id: '${{ call.output.id }}' } };
    const policy = { tools: { send: { undo } } };
    const recall = (required: readonly string[]): Tool =>
      toolOf('recall', { inputSchema: inputOf({ id: { type: 'integer' }, why: { type: 'string' } }, required) });
    const pinned = { 's/send': { ...pinOf(toolOf('send', send)), undo }, 's/recall': pinOf(recall(['id'])) };
    const prove = async (tools: readonly Tool[]): Promise<ToolsProof> => {
      const asked = new Map([['s', answerOf([...tools, toolOf('note', note)], policy)]]);
      const known: CheckContext = { nowMs: 0, asked, unasked: [], before: { ...pinsOf(send), ...pinned } };
      return (await carryOut({ kind: 'prove', text, known, answers: [seen] }, () => undefined)) as ToolsProof;
    };
    const more = toolOf('send', withInput({ ...args, volume: {} }));
    const fits = await prove([more, recall(['id'])]);
    expect([fits.unproven, fits.pins['s/send']?.undo]).toEqual([[], undo]);
    expect((await prove([toolOf('send', send), recall(['id', 'why'])])).unproven).toMatchObject([
      { message: expect.stringContaining('The declared `undo` of s/send is not what it was.') },
    ]);
  });

  test('A workflow does not go on with a tool that may destroy something now.', async () => {
    const { unproven } = await proofOf({ ...send, annotations: { ...send.annotations, destructiveHint: true } });
    expect(unproven).toMatchObject([{ message: expect.stringContaining('destructiveHint: false') }]);
  });

  test('A workflow does not go on with a tool whose new promise no recorded answer bears out.', async () => {
    const { outputSchema: _, ...silent } = send;
    const trial = { before: silent };
    expect((await proofOf(send, { ...trial, answers: [] })).unproven).toMatchObject([
      { message: expect.stringContaining('none is recorded') },
    ]);
    expect((await proofOf(send, trial)).unproven).toEqual([]);
  });
});

test('A claim that a tool only reads leaves the effect with which the workflow was deployed.', async () => {
  const { unproven, pins } = await proofOf({ ...send, annotations: { ...send.annotations, readOnlyHint: true } });
  expect([unproven, pins['s/send']?.effect]).toEqual([[], 'idempotent']);
});

test.each(['exact', 'warn', 'accept'])('A server whose policy is `%s` has nothing to prove.', async (tools) => {
  const { changes, pins } = await proofOf(withInput({ ...args, volume: {} }), { policy: { tools } });
  expect([changes, pins]).toEqual([[], pinsOf(send)]);
});

test('What does not go on names the line of the step, and says what has changed.', async () => {
  const { unproven, changes } = await proofOf(withInput({ ...args, volume: {} }, ['to', 'volume']));
  expect(unproven[0]).toMatchObject({ line: 9, path: '/steps/0/with' });
  expect(changes).toEqual(['s/send: The argument "volume" is new, and needed.']);
});
