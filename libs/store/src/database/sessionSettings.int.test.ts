/**
 * Goal: under all defaults of a database and a role, Baton reads what it has written.
 * Method: set every setting that a user may set to another value, for the database, and use the store.
 */
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

import { advance, BlobCache, BlobOffloader } from '@baton/runner';
import { freshDatabase, requestedEvent, testSecretKey } from '@baton/testing';
import { Client, Pool } from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';

import { claimMarks } from '../audit/claimMarks.ts';
import { sealRuns } from '../audit/sealRuns.ts';
import { restoreBackup } from '../backup/restoreBackup.ts';
import { writeBackup } from '../backup/writeBackup.ts';
import { readFeed } from '../journal/readFeed.ts';
import { migrate } from '../migrate.ts';
import { openStore } from '../openStore.ts';
import { getRun } from '../runs/getRun.ts';
import { listRuns } from '../runs/listRuns.ts';
import { storedTurns } from '../runs/turns.ts';
import { verifyAudit } from '../verification/verifyAudit.ts';
import { definitionOf } from '../workflows/definitions.ts';
import { deployWorkflow } from '../workflows/deployWorkflow.ts';
import { GuardedClient } from './guardedClient.ts';
import { sessionSettings } from './sessionSettings.ts';
import { watchedClient } from './watchedClient.ts';

interface Setting {
  readonly name: string;
  readonly vartype: string;
  readonly setting: string;
  readonly enumvals: readonly string[] | null;
}

/** Of settings whose values are not listed. */
const others: Readonly<Record<string, readonly string[]>> = {
  DateStyle: ['German', 'SQL, DMY'],
  TimeZone: ['Asia/Kathmandu', 'America/St_Johns'],
  client_encoding: ['LATIN1', 'WIN1252'],
  extra_float_digits: ['-15', '0'],
  gin_fuzzy_search_limit: ['1', '2'],
  search_path: ['pg_catalog', '"$user"'],
};

const selected = `select name, vartype, setting, enumvals from pg_settings
  where context = 'user' and category ~ '^(Client Connection|Error Handling|Version and Platform|Write-Ahead)'
    and name !~ '^(default_transaction_read_only|transaction_(isolation|read_only|deferrable))$'`;

/** The `round`th other value; undefined: there is none. */
function another({ name, vartype, setting, enumvals }: Setting, round: number): string | undefined {
  if (vartype === 'bool') return setting === 'on' ? 'off' : 'on';
  if (name.endsWith('_timeout')) return '60s';
  return (enumvals?.filter((value) => value !== setting) ?? others[name])?.at(round);
}

async function strangeDatabase(round: number): Promise<string> {
  const database = await freshDatabase('empty');
  onTestFinished(() => database.drop());
  const client = new Client(database.url);
  await client.connect();
  const { rows } = await client.query<Setting>(selected);
  const name = new URL(database.url).pathname.slice(1);
  for (const one of rows) {
    const value = another(one, round);
    if (value !== undefined) await client.query(`alter database ${name} set ${one.name} = '${value}'`);
  }
  await client.end();
  return database.url;
}

const at = 1_900_000_000_000;
const keep = { runsMs: Infinity, recordsMs: Infinity };
const definition = definitionOf(String.raw`{ "workflow": "hello", "title": "\ü'" }`, 'json', {});
const large = 'ü'.repeat(70_000);

test.each([0, 1])('a run is stored, read and verified under strange defaults of the database (%i)', async (round) => {
  const url = await strangeDatabase(round);
  await migrate(url);
  const store = openStore({ url, secretKey: testSecretKey });
  onTestFinished(() => store.close());
  await claimMarks(store);
  const { digest } = definition;
  await deployWorkflow(store, { workflow: 'hello', definition, findings: [], by: 'ada' });
  const { runId } = await store.request({
    event: requestedEvent({ at, definition: digest, tags: ['a', String.raw`b\"'`], notBefore: at + 1 }),
    idempotency: { scope: 's', key: String.raw`k\'`, digest: 'd' },
  });
  const sent = { type: 'signal.received', at, name: 's', payload: '\\ü🎺\0', by: 'x' } as const;
  await advance(store.journal, runId, () => [sent, { type: 'run.claimed', at, worker: 'w', claim: 1 }]);
  const ended = { type: 'run.finished', at, status: 'succeeded', outputs: { json: large } } as const;
  const blobs = new BlobOffloader(new BlobCache(0));
  const end = (await advance(store.journal, runId, () => [ended], blobs))?.events.at(-1);
  const turn = { workflow: 'w', isInline: false, key: 'k', limit: 1, whenFull: 'queue' } as const;
  expect(await storedTurns(store).take(runId, turn, at)).toMatchObject({ admitted: [] });
  expect(await store.journal.open(runId)).toMatchObject({ events: [{ by: 'key-1' }, sent, {}, end] });
  expect((await store.journal.open(runId))?.forgery).toBeUndefined();
  const { outputs } = (await getRun(store, runId)) ?? {};
  const { sha256 = '' } = outputs !== undefined && 'blob' in outputs ? outputs.blob : {};
  expect(await store.blobs.get(sha256)).toBe(JSON.stringify(large));
  const { runs } = await listRuns(store, { tag: 'a' }, { limit: 10 });
  expect(runs).toMatchObject([{ id: runId, createdAt: at, endedAt: at, tags: ['a', String.raw`b\"'`] }]);
  await sealRuns(store, { nowMs: at });
  expect((await verifyAudit(store, { nowMs: at, keep })).problem).toBeUndefined();
  const { events } = await readFeed(store, { after: '0-00000000-0000-0000-0000-000000000000-0', limit: 10 });
  expect(events).toHaveLength(4);

  const target = await strangeDatabase(1 - round);
  const backup = new PassThrough();
  const [file] = await Promise.all([buffer(backup), writeBackup(url, backup, new Date(at))]);
  await restoreBackup(target, Readable.from([file]), new Date(0));
  const restored = openStore({ url: target, secretKey: testSecretKey });
  onTestFinished(() => restored.close());
  expect(await restored.journal.open(runId)).toMatchObject({ events: [{ by: 'key-1' }, sent, {}, end] });
  expect((await verifyAudit(restored, { nowMs: at, keep })).problem).toBeUndefined();
});

test.each([
  ['a connection', GuardedClient],
  ['a connection of the stores', watchedClient()],
])('%s has the settings that the code assumes', async (_, kind) => {
  const client = new kind({ connectionString: await strangeDatabase(0) });
  await client.connect();
  onTestFinished(() => client.end());
  const { rows } = await client.query<Record<'name' | 'setting', string>>(
    `select lower(name) as name, current_setting(name) as setting from pg_settings`,
  );
  const found = new Map(rows.map(({ name, setting }) => [name, setting]));
  const wanted = Object.entries(sessionSettings).filter(([name]) => found.has(name));
  expect(wanted.map(([name]) => [name, found.get(name)])).toEqual(wanted);
  expect(found.get('synchronous_commit')).not.toBe('off');
});

test('a database in another encoding than UTF-8 is refused before the first migration', async () => {
  const { postgresUrl } = inject('services');
  const admin = new Pool({ connectionString: postgresUrl, max: 1 });
  onTestFinished(() => admin.end());
  for (const encoding of ['LATIN1', 'SQL_ASCII']) {
    const name = `encoded_${encoding.toLowerCase()}`;
    await admin.query(`create database ${name} encoding '${encoding}' template template0 locale 'C'`);
    onTestFinished(async () => void (await admin.query(`drop database ${name} with (force)`)));
    const url = new URL(postgresUrl);
    url.pathname = `/${name}`;
    await expect(migrate(url.href)).rejects.toThrow(
      `the database "${name}" has the encoding ${encoding}, which cannot hold every text`,
    );
    const { rows } = await admin.query(`select from pg_stat_activity where datname = $1`, [name]);
    expect(rows).toEqual([]);
  }
});
