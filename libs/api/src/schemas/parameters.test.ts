import { expect, test } from 'vitest';
import * as z from 'zod';

import { type Route } from '../route.ts';
import { routes } from '../routes.ts';

/** The schemas of this key, at any depth of objects. */
function schemasOf(key: string, schema: unknown): readonly z.ZodType[] {
  if (schema instanceof z.ZodOptional) return schemasOf(key, schema.unwrap());
  if (!(schema instanceof z.ZodObject)) return [];
  const shape = schema.shape as Readonly<Record<string, z.ZodType>>;
  return Object.entries(shape).flatMap(([name, part]) => (name === key ? [part] : schemasOf(key, part)));
}

const requestsWith = (key: string): readonly (readonly [operation: string, schema: z.ZodType])[] =>
  (Object.values(routes) as readonly Route[]).flatMap(({ name, query, body }) =>
    [query, body].flatMap((part) => schemasOf(key, part).map((schema) => [name, schema] as const)),
  );

test('The operations that take a range of times are the lists, the histogram, the excerpts and the backfill', () => {
  const operations = ['backfillSchedule', 'getRunHistogram', 'listAuditCalls', 'listAuditEntries', 'listRuns'];
  expect(requestsWith('to').map(([name]) => name)).toEqual(expect.arrayContaining(operations));
  expect(requestsWith('from').map(([name]) => name)).toEqual(requestsWith('to').map(([name]) => name));
});

test.each(requestsWith('to'))('A date as the end of a range of %s includes its whole day', (_, schema) => {
  const lastMs = Date.parse('2026-11-20T23:59:59.999Z');
  const isInclusive = schema.description?.includes('inclusive') === true;
  expect(schema.parse('2026-11-20')).toBe(isInclusive ? lastMs : lastMs + 1);
  expect(schema.parse('2026-11-20T00:00:00Z')).toBe(Date.parse('2026-11-20'));
});

test.each(requestsWith('from'))('A date as the beginning of a range of %s is its first instant', (_, schema) => {
  expect(schema.parse('2026-11-20')).toBe(Date.parse('2026-11-20'));
});
