/** Every workflow in `examples/`, deployed and run against the servers of `mcp.json`, as after a fresh clone. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { JsonObject } from '@baton/primitives';
import { soon } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type Run, Installation } from './installation.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const suffix = '.workflow.yaml';
const names = readdirSync(join(root, 'examples'))
  .filter((name) => name.endsWith(suffix))
  .map((name) => name.slice(0, -suffix.length));
const textOf = (name: string): string => readFileSync(join(root, 'examples', name + suffix), 'utf8');

/** The folder that the file server has, instead of the one in the repository. */
const folder = mkdtempSync(join(tmpdir(), 'baton-examples-'));
const files = join(folder, 'files');
const fileAt = (path: string): string => readFileSync(join(files, path), 'utf8');

interface ServerEntry {
  readonly args: readonly string[];
}

const { mcpServers } = JSON.parse(readFileSync(join(root, 'mcp.json'), 'utf8')) as {
  mcpServers: Record<'everything' | 'files' | 'memory', ServerEntry>;
};
const absolute = (args: readonly string[]): string[] =>
  args.map((one) => {
    if (one === 'examples/files') return files;
    return one.startsWith('node_modules/') ? join(root, one) : one;
  });

let baton: Installation;

beforeAll(async () => {
  mkdirSync(files);
  writeFileSync(join(files, 'notes.md'), '# Notes\n\n- The review moved to 15:00.\n');
  writeFileSync(join(files, 'more.md'), '- Ada asked for the dashboards.\n');
  const servers = Object.fromEntries(
    Object.entries(mcpServers).map(([name, entry]) => [name, { ...entry, args: absolute(entry.args) }]),
  );
  const memory = { ...servers['memory'], env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') } };
  baton = await Installation.start({ servers: { ...servers, memory } });
  // Of the webhook in issue-triage.
  await baton.api('PUT', '/v1/secrets/ISSUES_HOOK', { value: 'only for the examples, and nothing else' });
  for (const name of names) await baton.deploy(textOf(name));
});

afterAll(async () => {
  await baton.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function outcome(workflow: string, inputs: JsonObject = {}): Promise<Run> {
  return baton.ended(await baton.start(workflow, inputs));
}

async function outputsOf(workflow: string, inputs: JsonObject = {}): Promise<unknown> {
  const { status, outputs, error } = await outcome(workflow, inputs);
  expect([status, error]).toEqual(['succeeded', undefined]);
  return outputs;
}

describe('the examples', () => {
  test('are twelve and more', () => {
    expect(names.length).toBeGreaterThanOrEqual(12);
  });

  test.each(names)('%s has nothing against it, neither its text nor its servers', async (name) => {
    const { body } = await baton.api('POST', '/v1/workflows/check?servers=true', textOf(name));
    expect(body['findings']).toEqual([]);
    const calls = body['calls'] as { exists: string; arguments: string }[];
    expect(calls.map((one) => one.exists)).not.toContain('contradiction');
  });
});

/** By name; each starts its run and says what came of it. */
const runs: Readonly<Record<string, () => Promise<void>>> = {
  'morning-brief': async () => {
    expect(await outputsOf('morning-brief')).toMatchObject({ city: 'Chicago', brief: expect.any(String) });
  },
  'notes-digest': async () => {
    expect(await outputsOf('notes-digest')).toMatchObject({ notes: expect.arrayContaining(['more.md', 'notes.md']) });
    expect(fileAt('out/digest.md')).not.toBe('');
  },
  'file-inventory': async () => {
    const { count, bytes } = (await outputsOf('file-inventory', { suffix: '.md' })) as { count: number; bytes: number };
    expect([count >= 2, bytes > 0]).toEqual([true, true]);
    const listed = JSON.parse(fileAt('out/inventory.json')) as { file: string; bytes: number }[];
    expect(listed).toContainEqual({ file: 'notes.md', bytes: fileAt('notes.md').length });
  },
  'team-graph': async () => {
    expect(await outputsOf('team-graph')).toEqual({ people: 3, projects: ['Compiler', 'Engine'], edges: 3 });
    expect(await outputsOf('team-graph')).toEqual({ people: 3, projects: ['Compiler', 'Engine'], edges: 3 });
  },
  'publish-with-approval': async () => {
    const id = await baton.start('publish-with-approval');
    const question = await soon(async () => {
      const { body } = await baton.api('GET', '/v1/questions?workflow=publish-with-approval');
      const [one] = body['data'] as { id: string; runId: string }[];
      expect(one?.runId).toBe(id);
      return one?.id ?? '';
    });
    // A new version meanwhile is none of this run's business.
    await baton.deploy(textOf('publish-with-approval').replace('by: "${{ steps.review.by }}"', 'by: no one'));
    await baton.api('POST', `/v1/questions/${question}/answer`, { answer: { approve: true, title: 'News' } });
    const { status, outputs } = await baton.ended(id);
    expect([status, outputs]).toMatchObject([
      'succeeded',
      { published: true, by: expect.not.stringMatching('no one') },
    ]);
    expect(fileAt('out/announcement.md')).toMatch(/^# News\n/);
  },
  'issue-triage': async () => {
    const inputs = { id: '7', title: 'The backup fails', body: 'Twice this week.' };
    expect(await outputsOf('issue-triage', inputs)).toMatchObject({
      severity: 'low',
      told: expect.stringContaining('backup'),
    });
  },
  'support-routing': async () => {
    expect(await outputsOf('support-routing')).toMatchObject({ answer: expect.stringContaining('rchitecture') });
    expect(await outputsOf('support-routing', { kind: 'price' })).toMatchObject({
      answer: expect.stringContaining('42'),
    });
    const letter = await outputsOf('support-routing', { kind: 'letter', subject: 'Oslo' });
    expect(letter).toMatchObject({ answer: expect.stringContaining('Oslo') });
    const unknown = await outputsOf('support-routing', { subject: 'no-such.md' });
    expect(unknown).toEqual({ answer: 'There is no such document.' });
  },
  'safe-publish': async () => {
    expect(await outputsOf('safe-publish')).toEqual({ published: '1.0.0' });
    const { id, status, error } = await outcome('safe-publish', { version: '2.0.0', approve: false });
    expect([status, error?.code]).toEqual(['failed', 'not-fit']);
    expect(existsSync(join(files, 'out/notes-2.0.0.md'))).toBe(false);
    expect(fileAt(`out/withdrawn/notes-${id}.md`)).toBe('Release 2.0.0');
    expect(fileAt(`out/withdrawn/reason-${id}.txt`)).toBe('not-fit: Release 2.0.0 is not fit to be published.');
    expect(readFileSync(join(folder, 'memory.jsonl'), 'utf8')).not.toContain('release 2.0.0');
  },
  'wait-for-report': async () => {
    expect(await outputsOf('wait-for-report', { seconds: 0.1 })).toEqual({ report: 'All four steps are done.' });
  },
  'city-weather': async () => {
    expect(await outputsOf('city-weather', { city: 'Los Angeles' })).toMatchObject({ city: 'Los Angeles' });
  },
  'weather-report': async () => {
    const { reports, warmest } = (await outputsOf('weather-report')) as {
      reports: { city: string }[];
      warmest: string;
    };
    expect(reports.map(({ city }) => city)).toEqual(['New York', 'Chicago', 'Los Angeles']);
    expect(reports.map(({ city }) => city)).toContain(warmest);
  },
  'city-comparison': async () => {
    expect(await outputsOf('city-comparison')).toMatchObject({ degrees: expect.any(Number), text: expect.any(String) });
  },
  'nightly-check': async () => {
    expect(await outputsOf('nightly-check')).toEqual({ looks: 2 });
  },
  'ensured-note': async () => {
    const { status, outputs, ensured } = await outcome('ensured-note', { note: 'It is there.' });
    expect([status, outputs]).toEqual(['succeeded', { note: 'It is there.' }]);
    expect(ensured).toMatchObject([{ that: 'result.text.contains(inputs.note)', status: 'succeeded' }]);
    expect(fileAt('out/note.md')).toBe('It is there.');
  },
  handover: async () => {
    const id = await baton.start('handover');
    const signalled = await baton.api('POST', `/v1/runs/${id}/signals/taken`, { payload: { by: 'Grace' } });
    expect(signalled.status).toBeLessThan(300);
    const { status, outputs } = await baton.ended(id);
    expect([status, outputs]).toEqual(['succeeded', { by: 'Grace' }]);
    expect(fileAt('out/handover.md')).toMatch(/Taken by Grace\.$/);
  },
};

describe('[L-023] run, each with the version that it began with', () => {
  test('has a test for each example', () => {
    expect(Object.keys(runs).toSorted()).toEqual(names.toSorted());
  });

  test.each(Object.entries(runs))('%s', async (_, run) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
