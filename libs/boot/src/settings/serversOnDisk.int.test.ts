import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { readServersFile } from './serversFile.ts';
import { ServersOnDisk } from './serversOnDisk.ts';

async function watched(servers: object) {
  const folder = await mkdtemp(join(tmpdir(), 'baton-on-disk-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const write = (text: string): Promise<void> => writeFile(join(folder, 'mcp.json'), text);
  await write(JSON.stringify({ mcpServers: servers }));
  const told: string[] = [];
  const read = () => readServersFile(undefined, folder);
  const onDisk = new ServersOnDisk({ loaded: await read(), read, onChange: (what) => told.push(what) });
  onTestFinished(() => onDisk.close());
  return { onDisk, write, told };
}

test('a file that differs from the configuration in use is reported once, server by server', async () => {
  const { onDisk, write, told } = await watched({ a: { command: 'a' }, b: { command: 'b' }, c: { command: 'c' } });
  expect(await onDisk.look()).toEqual(new Map());
  // Said in other words it is the same.
  await write(
    '{ "mcpServers": { "c": { "command": "c" }, /* still */ "b": { "command": "b" }, "a": { "command": "a" } } }',
  );
  expect(await onDisk.look()).toEqual(new Map());
  expect(told).toEqual([]);
  await write(
    JSON.stringify({ mcpServers: { a: { command: 'a', args: ['x'] }, b: { command: 'b' }, d: { url: 'http://d/' } } }),
  );
  expect(Object.fromEntries(await onDisk.look())).toEqual({
    a: { change: 'changed', type: 'stdio' },
    c: { change: 'removed', type: 'stdio' },
    d: { change: 'added', type: 'http' },
  });
  await onDisk.look();
  expect(told).toEqual([
    'the server configuration has changed since the start: a changed, c removed, d added. Restart to use it',
  ]);
});

test('a file with mistakes is reported before a restart uses it', async () => {
  const { onDisk, write, told } = await watched({ a: { command: 'a' } });
  await write('{ "mcpServers": { "a": { "commands": "a" } } }');
  expect(await onDisk.look()).toEqual(new Map());
  expect(told).toEqual([expect.stringContaining('cannot be read now')]);
});
