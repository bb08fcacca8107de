/** Workflows held against real servers, and against what is deployed already. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { definitionOf, deployWorkflow, getWorkflowVersion } from '@baton/store';
import { type FreshStore, freshStore, readLedger, toolsServer, soon } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type TestAnswer, type TestApp, openTestApp } from '../testing/testApp.ts';

const { resolve } = createRequire(import.meta.url);
const everything = {
  command: process.execPath,
  args: [resolve('@modelcontextprotocol/server-everything/dist/index.js')],
};
const folder = mkdtempSync(join(tmpdir(), 'baton-'));
const ledger = join(folder, 'ledger.jsonl');
const gone = { command: process.execPath, args: ['-e', 'process.exit(3)'] };

let store: FreshStore;
let app: TestApp;

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url, {
    servers: {
      everything,
      lenient: { ...everything, baton: { tools: 'accept' } },
      gone,
      counted: toolsServer(ledger),
    },
  });
});

afterAll(async () => {
  await app.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const check = (rest: string, asks = '?servers=true'): Promise<TestAnswer> =>
  app.ask(`POST /v1/workflows/check${asks}`, {
    headers: { 'content-type': 'application/yaml' },
    payload: `workflow: w\n${rest}`,
  });

const codesOf = ({ body }: TestAnswer): string[] =>
  (body['findings'] as { code: string; line: number }[]).map(({ code, line }) => `${line} ${code}`);

const weather = (location: string, read: string): string => `steps:
  - id: weather
    tool: everything/get-structured-content
    with: { location: ${location} }
  - set: { v: "\${{ steps.weather.output.${read} }}" }
`;

describe('checking against servers', () => {
  // A check waits some seconds for a server that has just been started, which a busy machine may not do in time.
  beforeAll(async () => {
    const findings = async (): Promise<void> => {
      const codes = codesOf(await check(weather('Chicago', 'temperature')));
      if (codes.length > 0) throw new Error(codes.join());
    };
    await soon(findings);
  });

  test('[L-141 L-143] arguments are held against the tool’s schema, and what reads a result against its schema', async () => {
    expect(codesOf(await check(weather('Chicago', 'temperature')))).toEqual([]);
    expect(codesOf(await check(weather('Paris', 'temprature')))).toEqual(['5 value-invalid', '6 unknown-field']);
    expect(codesOf(await check(weather('Paris', 'temprature'), ''))).toEqual([]);
  });

  test('[L-140] names that the server does not know are told, those of prompts and resources too', async () => {
    const rest = `steps:
  - tool: everything/ecko
    with: { message: hi }
  - tool: everything/echo
    with: { massage: hi }
  - prompt: everything/args-prompt
    with: { town: Paris }
  - resource: everything
    uri: demo://resource/dinamic/text/{id}
    with: { id: "1" }
  - tool: nowhere/echo
`;
    expect(codesOf(await check(rest))).toEqual([
      '3 unknown-tool',
      '6 unknown-argument',
      '8 missing-argument',
      '8 unknown-argument',
      '10 unknown-resource',
      '12 unknown-server',
    ]);
  });

  test('mistakes in the text and those against servers are told together, and what the tool that was meant needs', async () => {
    const rest = `steps:\n  - set: { v: "\${{ steps.none.output }}" }\n  - tool: everything/ecko\n`;
    expect(codesOf(await check(rest))).toEqual(['3 unknown-step', '4 unknown-tool', '4 missing-argument']);
    const misspelt = `steps:\n  - tol: everything/ecko\n  - repeat: { max: 0, steps: [{ set: {} }] }\n`;
    expect(codesOf(await check(misspelt))).toEqual([
      '3 missing-verb',
      '3 unknown-tool',
      '3 missing-argument',
      '4 out-of-range',
    ]);
  });

  test('[L-081] the report says what each call does to the world and who decided it, and what could be proved', async () => {
    const rest = `steps:
  - tool: everything/echo
    with: { message: "\${{ run.id }}" }
  - tool: everything/toggle-simulated-logging
  - tool: everything/toggle-simulated-logging
    effect: idempotent
  - tool: everything/echo
    with: { message: hi }
    effect: write
`;
    const { body } = await check(rest);
    expect(body['calls']).toMatchObject([
      { target: 'everything/echo', effect: { effect: 'read', from: 'annotations' }, arguments: 'proved', line: 3 },
      { effect: { effect: 'write', from: 'default' }, exists: 'proved' },
      // What the author says never weakens what is shown.
      { effect: { effect: 'write', from: 'default' } },
      { effect: { effect: 'write', from: 'step' } },
    ]);
  });

  test('a server that does not answer is taken on trust, and that is told', async () => {
    const { body } = await check('steps:\n  - tool: gone/a\n');
    expect(body['findings']).toMatchObject([{ code: 'assumed', severity: 'warning' }]);
    expect(body['calls']).toMatchObject([{ exists: 'assumed', arguments: 'assumed' }]);
  });
});

test('[L-147] no tool is called, neither by checking nor by deploying', async () => {
  const rest = 'steps:\n  - tool: counted/write\n  - tool: counted/echo\n';
  expect((await check(rest)).body['calls']).toMatchObject([{ exists: 'proved' }, { exists: 'proved' }]);
  expect((await app.deploy(`workflow: counted\n${rest}`)).status).toBe(201);
  expect(readLedger(ledger).filter(({ call }) => call !== undefined)).toEqual([]);
});

describe('deploying', () => {
  test('[L-145] what cannot fit its server is not deployed', async () => {
    const answer = await app.deploy(`workflow: unfit\n${weather('Paris', 'temperature')}`);
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ code: 'value-invalid', line: 5, column: 23 }] } });
  });

  test('missing secrets are reported, and stop no deploy', async () => {
    const steps = 'steps:\n  - { tool: counted/echo, with: { message: "${{ secrets.LATER }}" } }\n';
    const deployed = await app.deploy(`workflow: later\n${steps}`);
    expect(deployed.status).toBe(201);
    expect(codesOf(deployed)).toEqual(['3 unknown-secret']);
    await app.ask('PUT /v1/secrets/LATER', { json: { value: 'of-no-interest' } });
    expect(codesOf(await check(steps))).toEqual([]);
  });

  test('[L-152] the version keeps digests of contract and of text, apart, and what the tool was', async () => {
    await app.deploy(`workflow: kept\n${weather('Chicago', 'temperature')}`);
    const kept = await getWorkflowVersion(store, 'kept', 1);
    expect(kept?.definition.pins).toEqual({
      'everything/get-structured-content': {
        effect: 'read',
        from: 'annotations',
        contract: expect.stringMatching(/^[0-9a-f]{64}$/),
        text: expect.stringMatching(/^[0-9a-f]{64}$/),
        definition: expect.objectContaining({ inputSchema: expect.objectContaining({ required: ['location'] }) }),
      },
    });
  });

  test('types flow through the outputs of workflows that are run as children', async () => {
    await app.deploy(
      `workflow: child\n${weather('Chicago', 'temperature')}outputs: { warm: "\${{ steps.weather.output.temperature > 20 }}" }\n`,
    );
    const parent = `steps:\n  - id: child\n    workflow: child\n    with: { day: 1 }\n  - set: { v: "\${{ steps.child.output.wram }}" }\n  - workflow: other\n`;
    expect(codesOf(await check(parent))).toEqual(['5 unknown-argument', '6 unknown-field', '7 unknown-workflow']);
  });

  test.each([
    ['everything', ['tool-changed']],
    ['lenient', []],
  ])('[L-153] a tool that changed since the version before is told, on the server %s', async (server, codes) => {
    const text = `workflow: drifting-${server}\nsteps:\n  - tool: ${server}/echo\n    with: { message: hi }\n`;
    const definition = {
      inputSchema: { type: 'object', properties: { words: { type: 'string' } }, required: ['words'] },
    };
    const pins = {
      [`${server}/echo`]: { effect: 'read', from: 'annotations', contract: 'a', text: 'b', definition },
    } as const;
    await deployWorkflow(store, {
      workflow: `drifting-${server}`,
      definition: definitionOf(text, 'yaml', pins),
      findings: [],
      by: 'test',
    });
    const { status, body } = await app.deploy(text);
    expect([status, body['version']]).toEqual([201, 2]);
    const findings = body['findings'] as { code: string; message: string }[];
    expect(findings.map(({ code }) => code)).toEqual(codes);
    for (const { message } of findings) {
      expect(message).toContain('The argument "words" is gone; The argument "message" is new, and needed');
    }
    // The person who deploys has looked: the new version relies on the tools as they are now.
    expect((await app.deploy(text)).body['findings']).toEqual([]);
  });
});

/** Shows what changed, and approves it. */
async function approveShown(server: string, key?: string): Promise<TestAnswer> {
  const asked = `POST /v1/servers/${server}/approve`;
  const { body } = await app.ask(asked, { ...(key && { key }), json: { preview: true } });
  return app.ask(asked, { ...(key && { key }), json: { digest: body['digest'] } });
}

describe('accepting tools as they are now', () => {
  const definition = {
    inputSchema: { type: 'object', properties: { words: { type: 'string' } }, required: ['words'] },
  };
  const stale = { effect: 'read', from: 'annotations', contract: 'a', text: 'b', definition } as const;

  test.each([
    ['daily', 'on: [{ schedule: "0 6 * * *" }]\n'],
    ['by-hand', ''],
  ])('lets nothing go on that the key may not start: %s', async (workflow, on) => {
    const step = 'steps: [{ tool: lenient/echo, effect: write, with: { message: hi } }]';
    const source = `workflow: ${workflow}\n${on}${step}\n`;
    const given = definitionOf(source, 'yaml', { 'lenient/echo': stale });
    await deployWorkflow(store, { workflow, definition: given, findings: [], by: 'test' });
    const reader = await app.newKey(['servers:approve', 'runs:read'], { effects: 'read' });
    const approve = async (key?: string): Promise<unknown> => {
      const { body } = await approveShown('lenient', key);
      return (body['data'] as { workflow: string }[]).find((one) => one.workflow === workflow);
    };
    const refused = expect.stringContaining('This key may only') as string;
    expect(await approve(reader)).toMatchObject({ version: 1, refused });
    expect(await approve()).toMatchObject({ version: 2 });
  });

  test('makes new versions of the workflows that rely on them, and accepts nothing of other servers', async () => {
    const text = (id: string, more: string): string =>
      `workflow: ${id}\nsteps:\n  - tool: everything/echo\n    with: { message: hi }\n${more}`;
    const deployed = [
      ['relying', text('relying', '  - tool: lenient/echo\n    with: { message: hi }\n')],
      ['misfit', text('misfit', '  - tool: everything/was-there\n')],
    ] as const;
    const pins = { 'everything/echo': stale, 'lenient/echo': stale, 'everything/was-there': stale };
    for (const [workflow, source] of deployed) {
      const given = definitionOf(source, 'yaml', pins);
      await deployWorkflow(store, { workflow, definition: given, findings: [], by: 'test' });
    }
    const about = ({ body }: TestAnswer) =>
      (body['data'] as { workflow: string }[]).filter(({ workflow }) => deployed.some(([id]) => id === workflow));

    const preview = about(await app.ask('POST /v1/servers/everything/approve', { json: { preview: true } }));
    expect(preview).toMatchObject([
      { workflow: 'misfit', version: 1, changes: [{ kind: 'contract' }, { kind: 'gone' }] },
      { workflow: 'relying', version: 1, changes: [{ tool: 'everything/echo', kind: 'contract' }, { kind: 'gone' }] },
    ]);
    expect((await app.ask('GET /v1/workflows/relying')).body['version']).toBe(1);
    const drift = [expect.objectContaining({ workflow: 'misfit', version: 1, blocked: true }) as object];
    const withDrift = { drift: expect.arrayContaining(drift) as object };
    expect((await app.ask('POST /v1/servers/everything/test')).body).toMatchObject(withDrift);
    expect((await app.ask('GET /v1/servers/everything')).body).toMatchObject(withDrift);
    expect((await app.ask('GET /v1/workflows')).body['data']).toContainEqual(
      expect.objectContaining({ id: 'misfit', drift: { servers: ['everything'], blocked: true } }),
    );

    const approved = about(await approveShown('everything'));
    expect(approved).toMatchObject([
      { workflow: 'misfit', version: 1, refused: expect.stringContaining('was-there') as string },
      { workflow: 'relying', version: 2 },
    ]);
    const kept = (await getWorkflowVersion(store, 'relying', 2))?.definition.pins;
    expect(kept?.['lenient/echo']).toEqual(stale);
    expect(kept?.['everything/echo']?.contract).not.toBe('a');
    expect(kept).not.toHaveProperty('everything/was-there');
    expect(about(await approveShown('everything'))).toMatchObject([{ workflow: 'misfit' }]);
    expect((await app.ask('POST /v1/servers/gone/approve', { json: { digest: 'x' } })).status).toBe(503);
  });
});

describe('starting a run', () => {
  test.each([
    ['everything', 'a', 409],
    ['everything', undefined, 202],
    ['lenient', 'a', 202],
  ])('whose tools are not what they were, on the server %s, contract %s: %i', async (server, contract, status) => {
    // What has not been asked for yet is waited for only a little.
    const { body } = await app.ask(`GET /v1/servers/${server}/tools`);
    const tool = (body['data'] as { name: string; digests: { contract: string } }[]).find(
      ({ name }) => name === 'echo',
    );
    const workflow = `starting-${server}-${contract ?? 'same'}`;
    const text = `workflow: ${workflow}\nsteps:\n  - tool: ${server}/echo\n    with: { message: hi }\n`;
    const pin = {
      effect: 'read',
      from: 'annotations',
      contract: contract ?? tool?.digests.contract ?? '',
      text: 'b',
    } as const;
    const definition = definitionOf(text, 'yaml', { [`${server}/echo`]: pin });
    await deployWorkflow(store, { workflow, definition, findings: [], by: 'test' });
    const start = () => app.ask('POST /v1/runs', { json: { workflow } });
    const started = await start();
    expect(started.status).toBe(status);
    if (status !== 409) return;
    expect(started.body['errors']).toMatchObject([
      { code: 'tool-changed' },
      { code: 'tool-changed', message: expect.stringContaining('was not kept') },
    ]);
    await approveShown(server);
    expect((await start()).status).toBe(202);
  });
});
