/** Runs every shell block of docs/reference/api.md in one shell, as a reader would who copies them in order. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { appFile, toolsServer } from '@baton/testing';
import { expect, onTestFinished, test } from 'vitest';

import { Installation } from './installation.ts';

const page = await readFile(fileURLToPath(new URL('../docs/reference/api.md', import.meta.url)), 'utf8');
const blocks = [...page.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, text = '']) => text);

const jq = fileURLToPath(new URL('jq.mjs', import.meta.url));

test('every block of the page of the API works when it is copied', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'baton-api-page-'));
  const installation = await Installation.start({ servers: { tools: toolsServer(join(folder, 'ledger')) } });
  onTestFinished(async () => {
    await installation.stop();
    await rm(folder, { recursive: true, force: true });
  });
  await symlink(installation.folder, join(folder, '.baton'));
  const usual = 'http://127.0.0.1:4400';
  expect(blocks[0]).toContain(usual);
  const script = [
    'set -e -o pipefail',
    `jq() { '${process.execPath}' '${jq}' "$@"; }`,
    `npx() { shift; BATON_DATA=.baton '${process.execPath}' '${appFile('cli')}' "$@"; }`,
    ...blocks.map((block) => block.replaceAll(usual, installation.url)),
  ].join('\n');

  const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: folder });

  expect(stdout).not.toContain('urn:baton:problem');
  expect(stdout).toContain('"status":"succeeded","outputs":{"text":"Hello, Ada!"}');
  // The page shows a list of three runs two at a time: the oldest is alone on the last page.
  expect(stdout.trimEnd()).toMatch(/}"succeeded"$/);
  const statuses = async (): Promise<unknown> => {
    const { body } = await installation.api('GET', '/v1/runs?workflow=greeting');
    return (body['data'] as { status: string }[]).map(({ status }) => status);
  };
  await expect.poll(statuses).toEqual(['cancelled', 'succeeded', 'succeeded']);
});
