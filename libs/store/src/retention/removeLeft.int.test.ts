import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { readState } from '../state/readState.ts';
import { removeLeft } from './removeLeft.ts';

let store: FreshStore;
beforeAll(async () => {
  store = await freshStore();
});
afterAll(() => store.close());

const old = new Date('2026-01-01T00:00:00Z');
const before = Date.parse('2026-03-01T00:00:00Z');
const recent = new Date('2026-04-01T00:00:00Z');

async function workflow(id: string, deletedAt: Date | null): Promise<void> {
  await store.prisma.workflow.create({ data: { id, latest: 1, deletedAt } });
  const written = { workflow: id, isInline: false, key: 'k', revision: 1, value: 1, bytes: 5, by: 'ada', at: old };
  await store.prisma.stateValue.create({ data: written });
}

const value = (project: string, at: Date, isInline = false): Promise<unknown> =>
  store.prisma.kvValue.create({ data: { project, isInline, key: 'k', value: 1, bytes: 1, by: 'r', at } });

test('What a workflow left is removed when it was deleted long ago, and what is in use stays.', async () => {
  await workflow('gone', old);
  await workflow('lately', recent);
  await workflow('shop/gone', old);
  await workflow('shop/there', null);
  await workflow('lost/gone', old);
  await workflow('bank/lately', recent);
  for (const project of ['default', 'shop', 'lost', 'bank', 'never']) await value(project, old);
  await value('lost', old, true);
  await value('shop', recent, true);
  await removeLeft(store, { before });
  const left = async (id: string): Promise<number> =>
    (await readState(store, { workflow: id, isInline: false })).length;
  const workflows = ['gone', 'lately', 'shop/gone', 'shop/there', 'lost/gone', 'bank/lately'];
  expect(await Promise.all(workflows.map(left))).toEqual([0, 1, 0, 1, 0, 1]);
  const values = await store.prisma.kvValue.findMany({ orderBy: [{ project: 'asc' }, { isInline: 'asc' }] });
  expect(values.map(({ project, isInline }) => `${project} ${isInline}`)).toEqual([
    'bank false',
    'default false',
    'shop false',
    'shop true',
  ]);
  const [entry] = await store.prisma.auditEntry.findMany({ where: { action: 'records.removed' } });
  expect(entry?.detail).toMatchObject({ states: 3, shared: 3 });
});
