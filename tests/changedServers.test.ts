/** A server configuration that changes while Baton runs: Baton reports it, and uses it after a restart. */
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { toolsServer } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { Installation } from './installation.ts';

const folder = mkdtempSync(join(tmpdir(), 'baton-changed-'));
const tools = toolsServer(join(folder, 'ledger'));
let baton: Installation;

beforeAll(async () => {
  baton = await Installation.start({ servers: { kept: tools, gone: tools, other: tools }, workers: 0 });
});

afterAll(async () => {
  await baton.stop();
  rmSync(folder, { recursive: true });
});

test('each server that is not what it was says so, and the log once', async () => {
  const listed = async (): Promise<unknown> => (await baton.api('GET', '/v1/servers')).body['data'];
  expect(JSON.stringify(await listed())).not.toContain('onDisk');
  const mcpServers = { kept: tools, other: { ...tools, baton: { scope: 'run' } }, fresh: tools };
  await writeFile(join(baton.folder, 'mcp.json'), JSON.stringify({ mcpServers }));
  expect(await listed()).toEqual([
    { name: 'kept', type: 'stdio', state: 'idle' },
    { name: 'gone', type: 'stdio', state: 'idle', onDisk: 'removed' },
    { name: 'other', type: 'stdio', state: 'idle', onDisk: 'changed' },
    { name: 'fresh', type: 'stdio', state: 'disabled', onDisk: 'added' },
  ]);
  expect((await baton.api('GET', '/v1/servers/other')).body).toMatchObject({ onDisk: 'changed' });
  expect((await baton.api('GET', '/v1/servers/fresh')).status).toBe(404);
  const log = (): string => baton.orchestrators[0]?.log() ?? '';
  await expect.poll(log).toContain('gone removed, other changed, fresh added. Restart to use it');
  expect(log().split('has changed since the start')).toHaveLength(2);
});
