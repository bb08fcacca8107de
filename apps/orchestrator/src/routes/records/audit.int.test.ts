import { AuditVerifier, readPublicKey } from '@baton/store';
import { type FreshStore, freshStore, tamper } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type TestApp, openTestApp } from '../../testing/testApp.ts';

let store: FreshStore;
let app: TestApp;

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url);
  await app.deploy('workflow: audited\nsteps:\n  - set: { a: 1 }\n');
  for (const value of ['canary-4710', 'canary-4711']) await app.ask('PUT /v1/secrets/TOKEN', { json: { value } });
  const started = await app.ask('POST /v1/workflows/audited/runs', { json: {} });
  await app.ask(`POST /v1/runs/${started.body['id'] as string}/cancel`);
});

afterAll(async () => {
  await app.close();
  await store.close();
});

const today = (): string => new Date().toISOString().slice(0, 10);

describe('/v1/audit', () => {
  test('tells who did what, newest first, page by page', async () => {
    const { body } = await app.ask('GET /v1/audit?limit=1&target=TOKEN');
    expect(body['data']).toMatchObject([{ action: 'secret.set', detail: { version: 2 } }]);
    const rest = await app.ask(`GET /v1/audit?limit=1&target=TOKEN&cursor=${body['nextCursor'] as string}`);
    expect(rest.body).toMatchObject({ data: [{ action: 'secret.set', detail: { version: 1 } }] });
    expect(rest.body['nextCursor']).toBeUndefined();
    expect((await app.ask('GET /v1/audit?action=workflow.deployed')).body['data']).toMatchObject([
      { target: 'audited' },
    ]);
    for (const time of ['from=2020-01-01T00:00:00Z&to=2999-01-01T00:00:00Z', `from=${today()}&to=${today()}`]) {
      const some = await app.ask(`GET /v1/audit?action=secret.set&${time}`);
      expect(some.body['data']).toHaveLength(2);
    }
    expect((await app.ask('GET /v1/audit?action=secret.read')).status).toBe(422);
  });

  test('names a key as people know it, and finds what it did by its id or by both', async () => {
    const key = await app.newKey(['admin'], { name: 'Ada (the night shift)' });
    const [, id = ''] = key.split('_');
    await app.ask('PUT /v1/secrets/BY_ADA', { key, json: { value: 'of-no-interest' } });
    const by = `Ada (the night shift) (${id})`;
    for (const asked of [id, by]) {
      const { body } = await app.ask(`GET /v1/audit?by=${encodeURIComponent(asked)}`);
      expect(body['data']).toMatchObject([{ action: 'secret.set', target: 'BY_ADA', by }]);
    }
    expect((await app.ask('GET /v1/audit?by=the%20night%20shift')).body['data']).toEqual([]);
  });

  test('exports what can be verified without the server, and no secret', async () => {
    const { status, headers, text } = await app.ask('GET /v1/audit/export?unsealed=true');
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'application/x-ndjson' });
    const verifier = new AuditVerifier();
    for (const line of text.trimEnd().split('\n')) verifier.takeLine(line);
    expect(verifier.report({ isFile: true })).toMatchObject({ isIntact: true, runs: 1, events: 2 });
    expect(text).not.toContain('canary-4711');
  });

  test('says whether the trail is intact, and where it is not', async () => {
    const { body } = await app.ask('POST /v1/audit/verify');
    expect(body).toMatchObject({ isIntact: true, runs: 1 });
    const checkpoint = body['checkpoint'];
    expect((await app.ask('POST /v1/audit/verify', { json: { checkpoint } })).body['isIntact']).toBe(true);
    await tamper(store, `update audit_entry set action = 'x' || action where seq = 2`);
    const after = await app.ask('POST /v1/audit/verify');
    await tamper(store, 'update audit_entry set action = substr(action, 2) where seq = 2');
    expect(after.body).toMatchObject({ isIntact: false, problem: { kind: 'edited', where: 'entry 2' } });
    expect((await app.ask('POST /v1/audit/verify', { json: { checkpoint: { seal: 1, hash: 'x' } } })).status).toBe(422);
  });

  test('verifies before it seals: a forged journal gets no seal', async () => {
    await app.ask('PUT /v1/secrets/LATE', { json: { value: 'canary-4712' } });
    const seals = async (): Promise<number> => (await store.pool.query('select from seal')).rowCount ?? 0;
    const before = await seals();
    await tamper(store, `update audit_entry set action = 'x' || action where seq = 2`);
    expect((await app.ask('POST /v1/audit/verify')).body['isIntact']).toBe(false);
    expect(await seals()).toBe(before);
    await tamper(store, 'update audit_entry set action = substr(action, 2) where seq = 2');
    const { body } = await app.ask('POST /v1/audit/verify');
    expect(body).toMatchObject({ isIntact: true, checkpoint: { seal: before + 1 } });
  });

  test('finds a definition that was changed in the database, and nothing shows or runs it', async () => {
    const change = (from: string, to: string): Promise<void> =>
      tamper(store, `update definition set source = replace(source, 'a: ${from}', 'a: ${to}')`);
    await change('1', '2');
    const shown = await app.ask('GET /v1/workflows/audited/versions/1');
    expect(shown).toMatchObject({ status: 500, body: { type: 'urn:baton:problem:integrity-lost' } });
    const { body } = await app.ask('POST /v1/audit/verify');
    expect(body).toMatchObject({
      isIntact: false,
      problem: { kind: 'edited', where: expect.stringMatching(/^definition/) as string },
    });
    await change('2', '1');
    expect((await app.ask('POST /v1/audit/verify')).body['isIntact']).toBe(true);
  });

  test('gives the public key, with which an export or an excerpt is verified', async () => {
    const { body } = await app.ask('GET /v1/audit/key');
    expect(body).toMatchObject({ algorithm: 'Ed25519', id: store.auditKeys.id });
    const publicKey = readPublicKey(body['publicKey'] as string);
    for (const query of [
      '',
      '?from=2020-01-01',
      '?from=2999-01-01',
      '?to=2020-01-01',
      '?from=2020-01-01&to=2999-12-31',
    ]) {
      const { text } = await app.ask(`GET /v1/audit/export${query}`);
      const verifier = new AuditVerifier({ publicKey });
      for (const line of text.trimEnd().split('\n')) verifier.takeLine(line);
      expect(verifier.report({ isFile: true })).toMatchObject({ isIntact: true });
    }
    expect((await app.ask('GET /v1/audit/export?from=yesterday')).status).toBe(422);
  });

  test('is for auditors', async () => {
    const key = await app.newKey(['runs:read', 'runs:write', 'secrets:write']);
    for (const what of ['', '/export', '/key', '/calls']
      .map((end) => `GET /v1/audit${end}`)
      .concat('POST /v1/audit/verify')) {
      expect((await app.ask(what, { key })).status).toBe(403);
    }
    expect((await app.ask('GET /v1/audit', { key: await app.newKey(['audit:read']) })).status).toBe(200);
  });
});
