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
  const template = kind === 'empty' ? 'template1' : templateName;
  // Its checkpoint costs nothing where nothing is synced; the other strategy writes each page to the log as well.
  await onServer(postgresUrl, `create database ${name} template ${template} strategy file_copy`);
  return {
    url: onDatabase(postgresUrl, name),
    drop: () => onServer(postgresUrl, `drop database ${name} with (force)`),
  };
}
