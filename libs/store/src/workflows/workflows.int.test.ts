import { matchesWorkflow } from '@baton/language';
import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { workflowCondition } from '../database/workflowConditions.ts';
import { definitionOf, getDefinition, putDefinition } from './definitions.ts';
import { type Deployment, deployWorkflow } from './deployWorkflow.ts';
import { deleteWorkflow, getWorkflow, getWorkflowVersion, listWorkflows } from './workflows.ts';

let store: FreshStore;

beforeAll(async () => {
  store = await freshStore();
});

afterAll(() => store.close());

const deployment = (workflow: string, source: string): Deployment => ({
  workflow,
  title: `The ${workflow}`,
  definition: definitionOf(source, 'yaml', { 'files/read': { effect: 'read', from: 'annotations', contract: 'c' } }),
  findings: [{ code: 'a-warning', message: 'NUL \0 and half \ud800' }],
  by: 'key-1',
});

describe('deploying', () => {
  test('[L-022] counts versions from 1, and keeps each as it was', async () => {
    await expect(deployWorkflow(store, deployment('hello', 'a'))).resolves.toMatchObject({ version: 1, isNew: true });
    await expect(deployWorkflow(store, deployment('hello', 'b'))).resolves.toMatchObject({ version: 2, isNew: true });
    const first = await getWorkflowVersion(store, 'hello', 1);
    const { workflow, definition, findings, by } = deployment('hello', 'a');
    expect(first).toMatchObject({ workflow, version: 1, definition, findings, deployedBy: by });
    await expect(getWorkflow(store, 'hello')).resolves.toMatchObject({ version: 2, title: 'The hello' });
  });

  test('the content of the newest version again makes no other', async () => {
    await deployWorkflow(store, deployment('same', 'a'));
    await expect(deployWorkflow(store, deployment('same', 'a'))).resolves.toMatchObject({ version: 1, isNew: false });
  });

  test('going back to older content is a new version', async () => {
    for (const source of ['a', 'b']) await deployWorkflow(store, deployment('back', source));
    await expect(deployWorkflow(store, deployment('back', 'a'))).resolves.toMatchObject({ version: 3, isNew: true });
  });

  test('deployments at once each get a version of their own', async () => {
    const sources = Array.from({ length: 8 }, (_, index) => `source-${index}`);
    const deployed = await Promise.all(sources.map((source) => deployWorkflow(store, deployment('busy', source))));
    expect(new Set(deployed.map(({ version }) => version))).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8]));
    for (const [index, { version }] of deployed.entries()) {
      const found = await getWorkflowVersion(store, 'busy', version);
      expect(found?.definition.source).toBe(sources[index]);
    }
  });

  test('the same content at once is one version', async () => {
    const deployed = await Promise.all(
      Array.from({ length: 5 }, () => deployWorkflow(store, deployment('twins', 'same'))),
    );
    expect(deployed.map(({ version }) => version)).toEqual([1, 1, 1, 1, 1]);
    expect(deployed.filter(({ isNew }) => isNew)).toHaveLength(1);
  });

  test('text that cannot be stored is refused as bad input', async () => {
    await expect(deployWorkflow(store, deployment('hostile', 'a\0'))).rejects.toMatchObject({
      failure: { code: 'invalid-inputs' },
    });
    await expect(getWorkflow(store, 'hostile')).resolves.toBeUndefined();
  });
});

describe('deleting', () => {
  test('hides the workflow, keeps its versions, and versions count on', async () => {
    await deployWorkflow(store, deployment('gone', 'a'));
    await expect(deleteWorkflow(store, 'gone', 'ada')).resolves.toBe(true);
    await expect(deleteWorkflow(store, 'gone', 'ada')).resolves.toBe(false);
    await expect(getWorkflow(store, 'gone')).resolves.toBeUndefined();
    const names = (await listWorkflows(store, { limit: 100 })).workflows.map(({ id }) => id);
    expect(names).not.toContain('gone');
    await expect(getWorkflowVersion(store, 'gone', 1)).resolves.toMatchObject({ version: 1 });
    await expect(deployWorkflow(store, deployment('gone', 'b'))).resolves.toMatchObject({ version: 2, isNew: true });
    await expect(getWorkflow(store, 'gone')).resolves.toMatchObject({ version: 2 });
  });
});

describe('looking', () => {
  test('pages are in order of names, and lose nothing', async () => {
    for (const name of ['p-c', 'p-a', 'p-b']) await deployWorkflow(store, deployment(name, 'x'));
    const first = await listWorkflows(store, { limit: 2, after: 'p' });
    expect(first.workflows.map(({ id }) => id)).toEqual(['p-a', 'p-b']);
    const second = await listWorkflows(store, { limit: 2, after: first.next ?? '' });
    expect(second.workflows[0]?.id).toBe('p-c');
  });

  test.each([[['payments/*']], [['payments/eu/*', 'shop']], [['default/*']], [['none/*']], [['session']], [[]]])(
    'the patterns %j select in a statement, and through Prisma, what they match',
    async (patterns) => {
      const names = ['payments/refunds', 'payments/eu/refunds', 'payments-eu/refunds', 'payments', 'shop', 'session'];
      for (const name of names) await deployWorkflow(store, deployment(name, 'x'));
      const matched = names.filter((name) => matchesWorkflow(patterns, name)).toSorted();
      const { workflows } = await listWorkflows(store, { limit: 100, among: patterns });
      expect(workflows.map(({ id }) => id).filter((id) => names.includes(id))).toEqual(matched);
      const values: unknown[] = [];
      const condition = workflowCondition('id', patterns, (value) => `$${values.push(value)}`);
      const { rows } = await store.pool.query(`select id from workflow where ${condition} order by id`, values);
      expect(rows.map(({ id }) => id).filter((id) => names.includes(id))).toEqual(matched);
    },
  );

  test.each([
    ['', 1],
    ['\0', 1],
    ['hello', 0],
    ['hello', 2 ** 31],
    ['hello', 1.5],
    ['hello', Number.NaN],
  ])('there is no workflow %j in version %d', async (name, version) => {
    await expect(getWorkflowVersion(store, name, version)).resolves.toBeUndefined();
  });

  test('a definition is its text, its format and what is relied on of its tools', () => {
    const pin = { effect: 'read', from: 'annotations', contract: 'c', text: 't' } as const;
    const one = definitionOf('a', 'yaml', { 'files/read': pin, 'files/write': { effect: 'write', from: 'default' } });
    const same = { 'files/write': { from: 'default', effect: 'write' }, 'files/read': pin } as const;
    expect(definitionOf('a', 'yaml', same).digest).toBe(one.digest);
    const others = [
      definitionOf('b', 'yaml', one.pins),
      definitionOf('a', 'json', one.pins),
      definitionOf('a', 'yaml', {}),
    ];
    expect(new Set([one, ...others].map(({ digest }) => digest)).size).toBe(4);
  });

  test('a definition is found by its digest, and is what it was first', async () => {
    const pins = { 'files/read': { effect: 'idempotent', from: 'server' } } as const;
    const definition = definitionOf('{"x":"\\u0000"}', 'json', pins);
    await putDefinition(store, definition);
    await putDefinition(store, { ...definition, source: 'other' });
    await expect(getDefinition(store, definition.digest)).resolves.toEqual(definition);
    await expect(getDefinition(store, 'sha256:\0')).resolves.toBeUndefined();
  });
});
