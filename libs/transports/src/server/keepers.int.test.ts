/** Servers that keep something, with every way to share their sessions. */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { newFolder, textOf, trial } from '../testing/testServers.ts';

const program = (server: string, ...args: string[]) => ({
  command: process.execPath,
  args: [createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${server}/dist/index.js`), ...args],
});

describe.each(['shared', 'run', 'call'])('over stdio, with sessions of scope %s', (scope) => {
  test('server-filesystem reads what its roots allow', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'a.txt'), 'hello');
    const { call, failure } = trial({ files: { ...program('filesystem', folder), baton: { scope } } });
    expect(textOf(await call('files', 'read_text_file', { path: join(folder, 'a.txt') }))).toBe('hello');
    expect(await failure('files', 'read_text_file', { path: '/etc/passwd' })).toMatchObject({ code: 'tool-failed' });
  });

  test('server-memory keeps in its file what it was told in another run', async () => {
    const env = { MEMORY_FILE_PATH: join(newFolder(), 'memory.json') };
    const { call, calls } = trial({ memory: { ...program('memory'), env, baton: { scope } } });
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['wrote the first program'] }];
    await call('memory', 'create_entities', { entities }, { runId: 'one' });
    calls.release('one');
    const { result } = await call('memory', 'read_graph', {}, { runId: 'two' });
    expect(result['structuredContent']).toMatchObject({ entities: [{ name: 'Ada' }] });
  });
});
