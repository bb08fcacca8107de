import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';

import { expect, onTestFinished, test } from 'vitest';

import { Context } from '../context.ts';
import { findServers } from './findServers.ts';

test('`baton dev` without a terminal starts no server of another program’s file, and says how to use that file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'baton-cloned-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, '.cursor'));
  await writeFile(join(folder, '.cursor', 'mcp.json'), '{"mcpServers":{"evil":{"command":"evil"}}}');
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const context = new Context({ env: {}, stdin, stdout, stderr });
  expect(await findServers(context, folder)).toBeUndefined();
  stderr.end();
  expect(await text(stderr)).toContain(`To use ${join(folder, '.cursor/mcp.json')}: BATON_SERVERS=`);
});
