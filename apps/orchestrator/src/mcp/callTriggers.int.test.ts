import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { overMcp } from '../testing/overMcp.ts';
import { type TestApp, openTestApp } from '../testing/testApp.ts';

let store: FreshStore;
let app: TestApp;
let author: string;

const workflow = (name: string): string => `workflow: ${name}
on:
  - { schedule: "0 3 * * *", id: nightly, inputs: { org: night } }
  - webhook: tracker
    secret: HOOK
    scheme: github
    if: event.body.action == 'opened'
    inputs: { org: "\${{ event.body.org }}" }
    dedupe: "\${{ string(event.body.?id.orValue(0)) }}"
  - { webhook: slack, secret: HOOK, scheme: slack, inputs: { org: "\${{ event.body.?org.orValue('') }}" } }
  - { webhook: unset, secret: NOT_THERE, inputs: { org: x } }
inputs: { org: { type: string, minLength: 1 } }
steps:
  - { id: paid, wait: { signal: paid } }
`;

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url);
  for (const name of ['mine', 'theirs']) await app.deploy(workflow(name));
  await app.ask('PUT /v1/secrets/HOOK', { json: { value: 'a secret of the sender and ours' } });
  await app.ask('PUT /v1/secrets/THEIRS', { json: { value: 'another one', workflows: ['theirs'] } });
  author = await app.newKey(['runs:read', 'runs:write', 'workflows:write'], { workflows: ['mine'] });
});

afterAll(async () => {
  await app.close();
  await store.close();
});

interface Answer {
  readonly [member: string]: unknown;
  /** Of a refusal. */
  readonly refusal?: string;
}

async function call(name: string, given: object, key = author): Promise<Answer> {
  const text = await overMcp(app, key, name, given);
  const [, data = text] = /^data: (\{.*)$/m.exec(text) ?? [];
  const { result } = JSON.parse(data) as {
    result: { structuredContent?: Answer; isError?: boolean; content: { text: string }[] };
  };
  return result.isError === true ? { refusal: result.content[0]?.text ?? '' } : (result.structuredContent ?? {});
}

const runsOf = async (name: string): Promise<number> =>
  ((await app.ask(`GET /v1/runs?workflow=${name}`)).body['data'] as unknown[]).length;

describe('an author at /mcp', () => {
  test('An author at /mcp pauses, resumes and triggers a schedule, and sees what that did', async () => {
    expect(await call('list_schedules', {})).toMatchObject({ schedules: [{ id: 'mine.nightly', paused: false }] });
    const pausing = { id: 'mine.nightly', action: 'pause' };
    expect(await call('change_schedule', pausing)).toMatchObject({ schedule: { paused: true, next: [] } });
    expect(await call('list_schedules', { workflow: 'mine' })).toMatchObject({ schedules: [{ paused: true }] });
    const resumed = await call('change_schedule', { id: 'mine.nightly', action: 'resume' });
    expect(resumed).toMatchObject({ schedule: { paused: false } });
    const { run } = await call('change_schedule', { id: 'mine.nightly', action: 'trigger' });
    expect(await call('get_run', { id: run })).toMatchObject({ workflow: 'mine', inputs: { org: 'night' } });
  });

  test('An author at /mcp sends a signal to a run, and hears of a run that is not there', async () => {
    const { run } = await call('change_schedule', { id: 'mine.nightly', action: 'trigger' });
    const sent = await call('send_signal', { id: run, name: 'paid', payload: { amount: 3 } });
    expect(sent).toMatchObject({ id: run, signal: 'paid' });
    const events = JSON.stringify((await app.ask(`GET /v1/runs/${String(run)}/events`)).body);
    expect(events).toContain('"payload":{"amount":3}');
    expect((await call('send_signal', { id: 'none', name: 'paid' })).refusal).toContain('There is no run');
    const long = await call('send_signal', { id: run, name: 'x'.repeat(1000) });
    expect(long.refusal).toContain('A signal is named with up to');
  });

  test('An author at /mcp tries a webhook: the inputs of a preview, a run, the same delivery again, one that the condition ignores', async () => {
    const hook = { workflow: 'mine', hook: 'tracker' };
    const opened = { ...hook, body: { action: 'opened', org: 'acme', id: 7 } };
    const before = await runsOf('mine');
    expect(await call('test_webhook', { ...opened, preview: true })).toMatchObject({
      outcome: 'would-start',
      inputs: { org: 'acme' },
    });
    expect(await runsOf('mine')).toBe(before);
    const started = await call('test_webhook', opened);
    expect(started).toMatchObject({ outcome: 'started', inputs: { org: 'acme' } });
    expect(await call('test_webhook', opened)).toMatchObject({ outcome: 'repeated', run: started['run'] });
    expect(await runsOf('mine')).toBe(before + 1);
    expect(await call('test_webhook', { ...hook, body: { action: 'closed' } })).toMatchObject({ outcome: 'ignored' });
    const ping = await call('test_webhook', { ...hook, body: { zen: 'x' } });
    expect(ping).toMatchObject({ outcome: 'ignored', reason: expect.stringContaining('action') as string });
    const empty = await call('test_webhook', { ...hook, body: { action: 'opened', org: '' }, preview: true });
    expect(empty).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('inputs/org') as string });
    const listed = await call('list_webhooks', { workflow: 'mine' });
    expect(JSON.stringify(listed)).toContain(String(started['run']));
  });

  test('An author at /mcp is shown the challenge of Slack, the secret that is not set, and the webhook that is not there', async () => {
    const hook = { workflow: 'mine', hook: 'slack' };
    expect(await call('test_webhook', { ...hook, body: { type: 'url_verification', challenge: 'c' } })).toMatchObject({
      outcome: 'ignored',
      reason: expect.stringContaining('challenge') as string,
    });
    expect(await call('test_webhook', { ...hook, hook: 'unset', body: {} })).toMatchObject({
      outcome: 'refused',
      reason: expect.stringContaining('NOT_THERE') as string,
    });
    expect((await call('test_webhook', { ...hook, hook: 'trakcer', body: {} })).refusal).toContain('list_webhooks');
  });

  test('An author at /mcp sees the names of the secrets that its workflows may use, and no value', async () => {
    const listed = await call('list_secrets', {});
    expect(listed).toMatchObject({ secrets: [{ name: 'HOOK' }] });
    expect(JSON.stringify(listed)).not.toContain('a secret of the sender');
  });

  test('An author at /mcp reaches no signal, schedule or webhook of a workflow that its key is not for', async () => {
    const { body } = await app.ask('POST /v1/schedules/theirs.nightly/trigger');
    const before = await runsOf('theirs');
    const refused = [
      await call('send_signal', { id: body['id'], name: 'paid' }),
      await call('change_schedule', { id: 'theirs.nightly', action: 'pause' }),
      await call('change_schedule', { id: 'theirs.nightly', action: 'trigger' }),
      await call('test_webhook', { workflow: 'theirs', hook: 'tracker', body: { action: 'opened', org: 'x' } }),
    ];
    for (const { refusal } of refused) expect(refusal).toContain('There is no ');
    for (const tool of ['list_schedules', 'list_webhooks'])
      expect(JSON.stringify(await call(tool, {}))).not.toContain('theirs');
    expect(await runsOf('theirs')).toBe(before);
    expect(JSON.stringify((await app.ask('GET /v1/schedules?workflow=theirs')).body)).toContain('"paused":false');
  });

  test('An author at /mcp without runs:write triggers no schedule and delivers to no webhook', async () => {
    const editor = await app.newKey(['workflows:write']);
    expect((await call('change_schedule', { id: 'mine.nightly', action: 'trigger' }, editor)).refusal).toContain(
      'runs:write',
    );
    expect((await call('test_webhook', { workflow: 'mine', hook: 'tracker' }, editor)).refusal).toContain('runs:write');
  });
});
