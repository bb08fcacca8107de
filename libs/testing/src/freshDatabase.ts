import { randomUUID } from 'node:crypto';

import { inject } from 'vitest';

import { onDatabase, onServer, templateName } from './serverDatabases.ts';

export interface FreshDatabase {
  readonly url: string;
  /** Cuts whoever is still connected. */
  drop(): Promise<void>;
}

/** A database of one's own, for one test file: a copy of the one that all migrations were applied to, or an empty one. */
export async function freshDatabase(kind: 'migrated' | 'empty' = 'migrated'): Promise<FreshDatabase> {
  const { postgresUrl } = inject('services');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await onServer(postgresUrl, `create database ${name} template ${kind === 'empty' ? 'template1' : templateName}`);
  return {
    url: onDatabase(postgresUrl, name),
    drop: () => onServer(postgresUrl, `drop database ${name} with (force)`),
  };
}
