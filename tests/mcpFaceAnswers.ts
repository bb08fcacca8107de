/** Tests of `mcpFace.test.ts`: the shape of each answer of Baton's own tools, and the next step in it. */
import { validator } from '@baton/expressions';
import { type Json, type JsonSchema, isObject } from '@baton/primitives';
import type { Client } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';

import type { McpClients } from './mcpFaceClients.ts';

type Answer = Readonly<Record<string, unknown>>;

const writes = (n: number): string => `workflow: shaped
inputs: { name: { type: string }, times: { type: integer, default: ${n} } }
steps:
  - { id: said, tool: work/echo, effect: read, with: { message: "\${{ inputs.name }}" } }
outputs: { said: "\${{ steps.said.text }}" }
`;

/** Calls tools, and holds each answer against the schema that is a resource. */
async function knowing(client: Client) {
  const { tools } = await client.listTools();
  const answered = new Set<string>();
  const schemas = new Map<string, JsonSchema>();
  const ask = async (name: string, given: object = {}): Promise<Answer> => {
    const { structuredContent, content, isError } = await client.callTool({ name, arguments: { ...given } });
    if (isError === true || !isObject(structuredContent)) throw new Error(`${name}: ${JSON.stringify(content)}`);
    if (!answered.has(name)) {
      const { contents } = await client.readResource({ uri: `baton://answers/${name}` });
      schemas.set(name, JSON.parse((contents[0] as { text: string }).text) as JsonSchema);
    }
    answered.add(name);
    const found = validator(schemas.get(name) ?? false).validate?.(structuredContent as Json);
    expect({ name, found }).toEqual({ name, found: [] });
    return structuredContent;
  };
  return { tools, ask, answered };
}

const shapedSteps = (count: number): string => `workflow: many
steps:
  - id: each
    forEach: \${{ range(${count}) }}
    steps: [{ id: said, tool: work/echo, effect: read, with: { message: "\${{ item }}" } }]
`;

export function answerTests({ mode, connect }: McpClients): void {
  test('gets of each tool of Baton itself an answer that fits its schema and says what comes next', async () => {
    const client = await connect();
    const { tools, ask, answered } = await knowing(client);
    const idOf = ({ run }: Answer): string => (run as { id: string }).id;

    await ask('find_tools', { query: 'echo' });
    const source = writes(1);
    await ask('check_workflow', { source });
    await ask('try_workflow', { source, inputs: { name: 'Ada' } });
    const { newest = 0 } = await ask('deploy_workflow', { source, version: 0 });
    const { digest } = await ask('deploy_workflow', { source, version: newest });
    if (digest !== undefined) await ask('deploy_workflow', { source, version: newest, confirm: digest });
    const { workflows } = await ask('list_workflows');
    expect(workflows).toContainEqual({
      id: 'shaped',
      description: 'Runs the workflow shaped. Calls work/echo.',
      version: 1,
      inputs: { name: { type: 'string', required: true }, times: { type: 'integer', required: false, default: 1 } },
    });
    expect(await ask('get_workflow', { workflow: 'shaped' })).toMatchObject({ newest: 1, source });

    const ran = await ask('run_workflow', { workflow: 'shaped', inputs: { name: 'Ada' } });
    expect(ran).toMatchObject({ run: { status: 'succeeded' }, outputs: { said: 'Ada' } });
    const id = idOf(ran);
    expect((await ask('list_runs', { workflow: 'shaped' }))['runs']).toContainEqual(expect.objectContaining({ id }));
    expect(await ask('list_runs', { workflow: 'shapde' })).toMatchObject({
      runs: [],
      next: expect.stringContaining('Did you mean "shaped"?') as string,
    });
    expect(await ask('list_runs', { workflow: 'shaped', status: 'failed' })).toMatchObject({ causes: [] });
    const ofEffect = async (effect: string): Promise<unknown> =>
      (await ask('list_runs', { workflow: 'shaped', effect }))['runs'];
    expect(await ofEffect('read')).toContainEqual(expect.objectContaining({ id }));
    expect(await ofEffect('write')).toEqual([]);
    expect(await ask('list_runs', { workflow: 'shaped', outcome: 'unknown' })).toMatchObject({ runs: [] });
    await ask('rerun_run', { id, preview: true });
    expect(await ask('undo_run', { id, preview: true })).toMatchObject({ undoOf: id, calls: [] });
    await ask('explain_run', { id });
    await ask('learn_session', { id });

    const asking = await ask('run_workflow', { workflow: 'approve' });
    const { questions } = await ask('get_run', { id: idOf(asking) });
    // One shape, wherever a question is shown.
    expect(questions).toEqual(asking['questions']);
    expect(questions).toMatchObject([{ step: 'ok', message: 'Go on?' }]);
    const [question] = questions as { id: string }[];
    await ask('answer_question', { id: question?.id, answer: { yes: false } });
    const ended = await ask('get_run', { id: idOf(asking), waitSeconds: 50 });
    expect(ended).toMatchObject({ status: 'succeeded', outputs: { yes: false } });
    expect(ended).not.toHaveProperty('questions');

    const left = idOf(await ask('run_workflow', { workflow: 'approve' }));
    await ask('cancel_run', { id: left });
    expect(await ask('get_run', { id: left, waitSeconds: 50 })).toMatchObject({ status: 'cancelled' });
    await ask('retry_run', { id: left, preview: true });
    await ask('repair_workflow', { id: left });

    const paid = ask('run_workflow', { workflow: 'triggered' });
    const waiting = async (): Promise<unknown> =>
      (await ask('list_runs', { workflow: 'triggered', status: 'waiting' }))['runs'];
    await expect.poll(waiting).toHaveLength(1);
    const [unpaid] = (await waiting()) as { id: string }[];
    await ask('send_signal', { id: unpaid?.id, name: 'paid' });
    expect(await paid).toMatchObject({ run: { id: unpaid?.id, status: 'succeeded' } });
    await ask('list_schedules', { workflow: 'triggered' });
    await ask('change_schedule', { id: 'triggered.nightly', action: 'pause' });
    await ask('list_webhooks', { workflow: 'triggered' });
    await ask('test_webhook', { workflow: 'triggered', hook: 'shop', body: {}, preview: true });
    await ask('list_secrets');

    const own = tools.filter(({ name, outputSchema }) => name.includes('_') && outputSchema !== undefined);
    const named = own.map(({ name }) => name).filter((name) => name !== 'cry_wolf');
    expect([...answered].toSorted()).toEqual(named.toSorted());
    expect(tools.filter(({ outputSchema }) => outputSchema === undefined).map(({ name }) => name)).toContain(
      'read_language',
    );
    const requiring = own.filter(({ outputSchema }) => [outputSchema?.['required']].flat().includes('next'));
    expect(requiring.map(({ name }) => name).toSorted()).toEqual(named.toSorted());
    await client.close();
  });

  test('is told at once when a run can only sleep: until when, and what to call then', async () => {
    if (mode === 'auto') return;
    const client = await connect();
    const { ask } = await knowing(client);
    const { run, next } = await ask('run_workflow', { workflow: 'sleeps' });
    const { id, wakeAt } = run as { id: string; wakeAt: string };
    expect(run).toMatchObject({ status: 'waiting' });
    expect(next).toBe(
      `The run goes on and is waiting now. It waits until ${wakeAt} at the latest. get_run with { "id": "${id}" } says what it needs.`,
    );
    expect(await ask('get_run', { id })).toMatchObject({ status: 'waiting', wakeAt });
    await ask('cancel_run', { id });
    await client.close();
  });

  test('reads of a run with many steps some, and each of the others by its path', async () => {
    if (mode === 'auto') return;
    const client = await connect();
    const { ask } = await knowing(client);
    const { run } = await ask('run_workflow', { workflow: 'many' });
    const { id } = run as { id: string };
    const { steps, stepsOmitted, next } = await ask('get_run', { id });
    expect((steps as unknown[]).length + Number(stepsOmitted)).toBe(61);
    expect(stepsOmitted).toBeGreaterThan(0);
    expect(next).toContain('"step": PATH');
    expect(await ask('get_run', { id, step: 'each/3' })).toMatchObject({ steps: [{ path: 'each/3/said' }] });
    const wrong = await client.callTool({ name: 'get_run', arguments: { id, step: 'eahc' } });
    expect(JSON.stringify(wrong)).toContain('Its steps: each, each/0/said');
    await client.close();
  });

  test('A client reads in the answer of a run what was ensured, as data and in words', async () => {
    const client = await connect();
    const { _meta, content } = await client.callTool({ name: 'ensures' });
    const ensured = { that: 'result.text.contains("hi")', read: 'work/echo', status: 'succeeded' };
    expect(_meta?.['baton/ensured']).toMatchObject([ensured]);
    expect(content.at(-1)).toEqual({ type: 'text', text: `Ensured: ${ensured.that} (read with work/echo).` });
    await client.close();
  });

  test('may name an output as a member of a late answer is named', async () => {
    const client = await connect();
    const { tools } = await knowing(client);
    expect(tools.map(({ name }) => name)).toContain('named');
    expect(await client.callTool({ name: 'named' })).toMatchObject({ structuredContent: { run: 7 } });
    await client.close();
  });
}

/** Workflows that the tests above find. */
export const answerWorkflows = [
  `workflow: triggered
on: [{ schedule: "0 6 * * *", id: nightly }, { webhook: shop, secret: SHOP }]
steps: [{ wait: { signal: paid } }]
`,
  'workflow: sleeps\nsteps:\n  - { wait: 10m }\n',
  'workflow: named\non: [{ tool: {} }]\nsteps:\n  - { id: one, set: { run: 7 } }\noutputs: { run: "${{ steps.one.output.run }}" }\n',
  `workflow: ensures
on: [{ tool: {} }]
steps: [{ set: { a: 1 } }]
ensure: [{ tool: work/echo, effect: read, with: { message: hi }, that: 'result.text.contains("hi")' }]
`,
  shapedSteps(60),
];
