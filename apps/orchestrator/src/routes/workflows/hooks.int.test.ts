import { createHmac, randomUUID } from 'node:crypto';

import { signedHeaders, standardHeaders } from '@baton/protocol';
import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type TestAnswer, type TestApp, openTestApp } from '../../testing/testApp.ts';

let store: FreshStore;
let app: TestApp;

const secret = `whsec_${Buffer.from('a shared secret of ours').toString('base64')}`;

const workflow = `
workflow: org/builds
on:
  - webhook: ci
    secret: CI_HOOK
    if: event.body.type == "release"
    inputs: { org: "\${{ event.body.org }}", kind: "\${{ event.headers['x-kind'] }}" }
  - webhook: once
    secret: CI_HOOK
    inputs: { org: "\${{ event.body.org }}" }
    dedupe: "\${{ event.body.id }}"
  - webhook: github
    secret: GITHUB_HOOK
    scheme: github
    inputs: { org: "\${{ event.body.org }}" }
  - webhook: headers
    secret: CI_HOOK
    inputs: { org: "\${{ event.headers.map(name, name).filter(name, name.startsWith('x-')).join(' ') }}" }
  - webhook: whole
    secret: CI_HOOK
    inputs: { org: x, body: "\${{ event.body }}", text: "\${{ json(event.body) }}" }
  - webhook: slack
    secret: GITHUB_HOOK
    scheme: slack
    if: event.body.?event.?type.orValue('') == 'message'
    inputs: { org: x }
  - webhook: stripe
    secret: GITHUB_HOOK
    scheme: stripe
    inputs: { org: x }
  - webhook: unset
    secret: NOT_THERE
    inputs: { org: x }
inputs:
  org: { type: string, minLength: 1 }
  kind: { type: string, optional: true }
  body: { optional: true }
  text: { type: string, optional: true }
steps:
  - set: { a: 1 }
`;

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url);
  await app.deploy(workflow);
  await app.ask('PUT /v1/secrets/CI_HOOK', { json: { value: secret } });
  await app.ask('PUT /v1/secrets/GITHUB_HOOK', { json: { value: 'It is a secret to everybody' } });
});

afterAll(async () => {
  await app.close();
  await store.close();
});

interface SentDelivery {
  readonly id?: string;
  readonly signedWith?: string;
  readonly nowMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

function send(hook: string, body: string, sent: SentDelivery = {}): Promise<TestAnswer> {
  const { id = `msg_${randomUUID()}`, signedWith = secret, nowMs = Date.now(), headers = {} } = sent;
  const signed = standardHeaders({ id, body, secret: signedWith, nowMs });
  return app.ask(`POST /v1/hooks/${hook}`, {
    key: '',
    headers: { 'content-type': 'application/json', ...signed, ...headers },
    payload: body,
  });
}

async function lastDelivery(hook: string): Promise<{ readonly outcome?: string; readonly reason?: string }> {
  const { body } = await app.ask('GET /v1/hooks?workflow=org/builds');
  const hooks = body['data'] as { readonly hook: string; readonly deliveries: { readonly reason?: string }[] }[];
  return hooks.find((one) => one.hook === hook)?.deliveries[0] ?? {};
}

const release = JSON.stringify({ type: 'release', org: 'acme' });

describe('a webhook', () => {
  test('that is signed starts a run, with what it says', async () => {
    const id = `msg_${randomUUID()}`;
    const started = await send('org/builds/ci', release, { id, headers: { 'x-kind': 'nightly' } });
    expect(started).toMatchObject({ status: 202, body: { status: 'queued' } });
    const run = await app.ask(`GET /v1/runs/${started.body['id'] as string}`);
    expect(run.body).toMatchObject({
      inputs: { org: 'acme', kind: 'nightly' },
      trigger: { kind: 'webhook', detail: { hook: 'ci', delivery: id } },
    });
  });

  test('shows the workflow no header that proves who sent it', async () => {
    const headers = {
      'x-kind': 'a',
      'x-api-key': 'k',
      'x-gitlab-token': 't',
      cookie: 'c=1',
      authorization: 'Bearer b',
    };
    const started = await send('org/builds/headers', release, { headers });
    const run = await app.ask(`GET /v1/runs/${started.body['id'] as string}`);
    expect(run.body['inputs']).toEqual({ org: 'x-kind' });
  });

  test('[L-037] that comes again starts no second run', async () => {
    const id = `msg_${randomUUID()}`;
    const sent = [
      await send('org/builds/ci', release, { id, headers: { 'x-kind': 'a' } }),
      await send('org/builds/ci', release, { id, headers: { 'x-kind': 'a' } }),
    ];
    expect(sent.map(({ status }) => status)).toEqual([202, 202]);
    expect(sent[1]?.body['id']).toBe(sent[0]?.body['id']);
    const replayed = await send('org/builds/once', JSON.stringify({ id: 7, org: 'acme' }));
    const same = await send('org/builds/once', JSON.stringify({ id: 7, org: 'other' }));
    expect(same.body['id']).toBe(replayed.body['id']);
    const other = await send('org/builds/once', JSON.stringify({ id: 8, org: 'acme' }));
    expect(other.body['id']).not.toBe(replayed.body['id']);
  });

  test('that the workflow is not meant for starts nothing', async () => {
    const ignored = await send('org/builds/ci', JSON.stringify({ type: 'ping' }));
    expect(ignored).toMatchObject({
      status: 200,
      body: { ignored: true, reason: 'Its condition, `if`, is not true.' },
    });
  });

  test('that is not there, or not signed, or has no secret, is answered alike', async () => {
    const wrong = `whsec_${Buffer.from('another').toString('base64')}`;
    const refused = await Promise.all([
      send('org/builds/nothing', release),
      send('nothing/ci', release),
      send('org/builds/unset', release),
      send('org/builds/ci', release, { signedWith: wrong }),
      send('org/builds/ci', 'not even JSON', { signedWith: wrong }),
      send('org/builds/ci', release, { nowMs: Date.now() - 600_000 }),
      send('org/builds/github', release),
      app.ask('POST /v1/hooks/org/builds/ci', {
        key: '',
        headers: { 'content-type': 'application/json' },
        payload: release,
      }),
      app.ask('POST /v1/hooks/org/builds/ci', { key: '' }),
    ]);
    const alike = refused.map(({ status, body: { type, title, detail } }) => ({
      status,
      body: { type, title, detail },
    }));
    expect(new Set(alike.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(alike[0]).toMatchObject({ status: 401, body: { type: 'urn:baton:problem:signature-refused' } });
  });

  test.each([
    ['not JSON', '{"type":', 400],
    ['no fitting inputs', JSON.stringify({ type: 'release', org: '' }), 422],
    ['nothing that its inputs read', JSON.stringify({ type: 'release', org: null }), 422],
  ])('that is signed and holds %s is told so', async (_, body, status) => {
    expect((await send('org/builds/ci', body)).status).toBe(status);
  });

  test.each(['{}', '"ping"', ''])('whose condition reads what %j lacks is ignored, with the reason', async (body) => {
    const { status, body: answer } = await send('org/builds/ci', body);
    expect([status, answer['ignored']]).toEqual([200, true]);
    expect(answer['reason']).toContain('`if`, has no value: `event.body.type`');
    await expect.poll(async () => (await lastDelivery('ci')).reason).toBe(answer['reason']);
  });

  test('is taken whole, in any form that its sender writes', async () => {
    const body = '{"id":7615917337495251231,"constructor":{"a":1},"__proto__":{"admin":true}}';
    const form = 'item=a&item=b&payload=none';
    const sent: readonly (readonly [string, string, string])[] = [
      ['application/json', body, body.replace('7615917337495251231', '"7615917337495251231"')],
      // Neither a type nor anything that could be one.
      ['', '{"a":1}', '{"a":1}'],
      ['json', '{"a":1}', '{"a":1}'],
      ['application/x-www-form-urlencoded', form, '{"item":["a","b"],"payload":"none"}'],
      ['text/plain; charset=latin1', 'a', '"a"'],
    ];
    for (const [type, payload, expected] of sent) {
      const started = await send('org/builds/whole', payload, { headers: { 'content-type': type } });
      expect([type, started.status, started.body['detail']]).toEqual([type, 202, undefined]);
      const run = await app.ask(`GET /v1/runs/${started.body['id'] as string}`);
      const { body: given, text } = run.body['inputs'] as { readonly body: unknown; readonly text: string };
      expect([type, text]).toEqual([type, expected]);
      expect(JSON.stringify(given)).toBe(expected);
    }
  });

  test('whose set-up is wrong says why to its owner, and not to the sender', async () => {
    const reasonOf = async (hook: string, ...sent: readonly [string, SentDelivery?]): Promise<string | undefined> => {
      expect((await send(`org/builds/${hook}`, ...sent)).status).toBe(401);
      let last: { readonly outcome?: string; readonly reason?: string } = {};
      await expect.poll(async () => (last = await lastDelivery(hook)).outcome).toBe('refused');
      return last.reason;
    };
    expect(await reasonOf('unset', '{}')).toBe('The secret "NOT_THERE" is not set.');
    expect(await reasonOf('github', '{}')).toContain('write `scheme: standard` in the trigger');
    expect(await reasonOf('headers', '{}', { nowMs: Date.now() - 600_000 })).toContain('its time is');
  });

  test('that is too large is refused unread', async () => {
    expect((await send('org/builds/ci', 'x'.repeat(1_100_000))).status).toBe(413);
  });

  test('is still known by the secret before, while that is being replaced', async () => {
    const fresh = `whsec_${Buffer.from('the next secret, which is longer').toString('base64')}`;
    await app.ask('PUT /v1/secrets/CI_HOOK', { json: { value: fresh } });
    const headers = { 'x-kind': 'a' };
    expect((await send('org/builds/ci', release, { headers })).status).toBe(202);
    expect((await send('org/builds/ci', release, { headers, signedWith: fresh })).status).toBe(202);
    await app.ask('PUT /v1/secrets/CI_HOOK', { json: { value: secret } });
  });
});

test('a webhook whose secret is for other workflows is answered as one that is not signed', async () => {
  const bind = (workflows: readonly string[] | null): Promise<TestAnswer> =>
    app.ask('PUT /v1/secrets/CI_HOOK', { json: { workflows } });
  await bind(['other']);
  expect(await send('org/builds/ci', release)).toMatchObject({
    status: 401,
    body: { type: 'urn:baton:problem:signature-refused' },
  });
  await bind(null);
  expect((await send('org/builds/ci', release, { headers: { 'x-kind': 'a' } })).status).toBe(202);
});

describe('a webhook of GitHub', () => {
  const sendAs = (body: string, delivery: string, type = 'application/json'): Promise<TestAnswer> =>
    app.ask('POST /v1/hooks/org/builds/github', {
      key: '',
      headers: {
        'content-type': type,
        'x-github-delivery': delivery,
        'x-hub-signature-256': `sha256=${createHmac('sha256', 'It is a secret to everybody').update(body).digest('hex')}`,
      },
      payload: body,
    });

  test('that is signed starts a run for each delivery, and one however often it is sent', async () => {
    const id = randomUUID();
    const first = await sendAs('{"org":"acme"}', id);
    expect(first.status).toBe(202);
    expect((await sendAs('{"org":"acme"}', id)).body['id']).toBe(first.body['id']);
    const same = await sendAs('{"org":"acme"}', randomUUID());
    expect(same).toMatchObject({ status: 202 });
    expect(same.body['id']).not.toBe(first.body['id']);
    const other = await sendAs('{"org":"acme","n":2}', id);
    expect(other.body['id']).not.toBe(first.body['id']);
  });
});

describe.each(['slack', 'stripe'] as const)('a webhook of %s', (scheme) => {
  const sendAs = (body: string, nowMs = Date.now()): Promise<TestAnswer> =>
    app.ask(`POST /v1/hooks/org/builds/${scheme}`, {
      key: '',
      headers: {
        'content-type': 'application/json',
        ...signedHeaders(scheme, { id: '', body, secret: 'It is a secret to everybody', nowMs }),
      },
      payload: body,
    });

  test('starts one run for an event, also when the event is sent again', async () => {
    const event = (id: string): string => JSON.stringify({ id, event_id: id, event: { type: 'message' } });
    const first = await sendAs(event('ev_1'));
    expect(first.status).toBe(202);
    expect((await sendAs(event('ev_1'), Date.now() + 60_000)).body['id']).toBe(first.body['id']);
    expect((await sendAs(event('ev_2'))).body['id']).not.toBe(first.body['id']);
    expect((await sendAs(event('ev_3'), Date.now() - 600_000)).status).toBe(401);
  });
});

test('Slack gets its challenge back, if it is signed', async () => {
  const body = JSON.stringify({ type: 'url_verification', token: 'x', challenge: '3eZbrw1aBm2rZgRNFdxV2595E9CY' });
  const headers = { 'content-type': 'application/json' };
  const asked = (signed: object): Promise<TestAnswer> =>
    app.ask('POST /v1/hooks/org/builds/slack', { key: '', headers: { ...headers, ...signed }, payload: body });
  const secret = 'It is a secret to everybody';
  expect((await asked({})).status).toBe(401);
  const answer = await asked(signedHeaders('slack', { id: '', body, secret, nowMs: Date.now() }));
  expect(answer).toMatchObject({ status: 200, body: { challenge: '3eZbrw1aBm2rZgRNFdxV2595E9CY' } });
});

test('webhooks are counted by what they came to, and never by name', async () => {
  const counted = async (result: string): Promise<number> => {
    const { text } = await app.ask('GET /metrics', { key: '' });
    return Number(new RegExp(`^baton_webhooks_total\\{result="${result}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  };
  const results = ['started', 'repeated', 'ignored', 'signature-refused', 'validation-failed'];
  const before = await Promise.all(results.map(counted));
  const id = `msg_${randomUUID()}`;
  await send('org/builds/ci', release, { id, headers: { 'x-kind': 'a' } });
  await send('org/builds/ci', release, { id, headers: { 'x-kind': 'a' } });
  await send('org/builds/ci', JSON.stringify({ type: 'other' }));
  await send('org/builds/ci', release, { signedWith: `whsec_${Buffer.from('another').toString('base64')}` });
  await send('org/builds/unknown', release);
  await send('org/builds/ci', JSON.stringify({ type: 'release', org: '' }), { headers: { 'x-kind': 'a' } });
  const after = await Promise.all(results.map(counted));
  expect(after.map((count, at) => count - (before[at] ?? 0))).toEqual([1, 1, 1, 2, 1]);
  expect((await app.ask('GET /metrics', { key: '' })).text).not.toMatch(/builds|CI_HOOK/);
});

describe('a secret that is too short to sign with', () => {
  const put = (name: string, value: string): Promise<TestAnswer> =>
    app.ask(`PUT /v1/secrets/${name}`, { json: { value } });
  const hook = (scheme: string): Promise<TestAnswer> =>
    app.deploy(`workflow: short-${scheme}
on: [{ webhook: in, secret: SHORT, scheme: ${scheme} }]
steps: [{ set: { a: 1 } }]
`);

  test('is not set for a webhook that is deployed, by the scheme of that webhook', async () => {
    const short = await put('CI_HOOK', `whsec_${Buffer.from('fifteen bytes x').toString('base64')}`);
    expect(short).toMatchObject({ status: 422, body: { errors: [{ pointer: '/value' }] } });
    expect(short.body['detail']).toContain('signed with the secret "CI_HOOK". It needs at least 16 bytes');
    expect((await put('GITHUB_HOOK', 'fifteen-bytes-x')).status).toBe(422);
    expect((await put('NO_HOOK', 'fifteen-bytes-x')).status).toBe(201);
  });

  test('is reported when a webhook is deployed that would be signed with it', async () => {
    expect((await put('SHORT', 'fifteen-bytes-x')).status).toBe(201);
    for (const scheme of ['standard', 'github']) {
      const refused = await hook(scheme);
      expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: '/on', code: 'weak-secret' }] } });
      expect(refused.text).not.toContain('fifteen-bytes-x');
    }
    await put('SHORT', 'sixteen-bytes-xy');
    expect((await hook('github')).status).toBe(201);
  });
});
