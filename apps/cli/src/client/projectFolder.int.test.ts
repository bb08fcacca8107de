import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { projectFolder } from './projectFolder.ts';

async function newProject(): Promise<{ readonly project: string; readonly below: string }> {
  const project = await mkdtemp(join(tmpdir(), 'baton-project-'));
  onTestFinished(() => rm(project, { recursive: true }));
  const below = join(project, 'below');
  await Promise.all([mkdir(below), mkdir(join(project, '.baton'))]);
  await writeFile(join(project, '.baton', 'address'), 'http://127.0.0.1:4400\n');
  return { project, below };
}

test('commands below a project use its mcp.json', async () => {
  const { project, below } = await newProject();
  await expect(projectFolder({}, below)).resolves.toBe(project);
  await writeFile(join(below, 'mcp.json'), '{}');
  await expect(projectFolder({}, below)).resolves.toBe(below);
});

test.each(['BATON_DATA', 'BATON_SERVERS'])('a relative %s begins at the working directory', async (name) => {
  const { below } = await newProject();
  await expect(projectFolder({ [name]: '../other' }, below)).resolves.toBe(below);
});
