import { randomUUID } from 'node:crypto';

import { inject } from 'vitest';

import { onDatabase, onServer, templateName } from './serverDatabases.ts';
import type { Services } from './services.ts';
export interface FreshDatabase {
  readonly url: string;
  /** Cuts all connections. */
  drop(): Promise<void>;
}

/**
 * A database of one's own, for one test file: a copy of the one that all migrations were applied to, or an empty one.
 */
export async function freshDatabase(kind: 'migrated' | 'empty' = 'migrated'): Promise<FreshDatabase> {
  const { postgresUrl }: Services = inject('services');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await onServer(postgresUrl, `create database ${name} template ${kind === 'empty' ? 'template1' : templateName}`);
  return {
    url: onDatabase(postgresUrl, name),
    drop: () => onServer(postgresUrl, `drop database ${name} with (force)`),
  };
}
