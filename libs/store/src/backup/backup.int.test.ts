import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';

import {
  type FreshStore,
  freshDatabase,
  freshStore,
  requestedEvent,
  runningRow,
  tamper,
  testSecretKey,
} from '@baton/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { auditRecords } from '../audit/auditRecords.ts';
import { AuditVerifier } from '../audit/auditVerifier.ts';
import { sealRuns } from '../audit/sealRuns.ts';
import { readFence } from '../fence/fence.ts';
import { feedEnd, isAhead, readFeed } from '../journal/readFeed.ts';
import { migrate } from '../migrate.ts';
import { type Store, openStore } from '../openStore.ts';
import { putSecret } from '../secrets/secrets.ts';
import { Vault } from '../secrets/vault.ts';
import { RestoreError, restoreBackup } from './restoreBackup.ts';
import { writeBackup } from './writeBackup.ts';

const nowMs = 1_900_000_000_000;
const restoredAt = new Date(nowMs + 3_600_000);
/** What a reader of lines could stumble over. */
const payload = 'a\nb\r\nc\rd\u2028e\u0085f\\.g\t\\h ü 🎺';

const noRun = '00000000-0000-0000-0000-000000000000';

let store: FreshStore;
let folder: string;
beforeAll(async () => {
  store = await freshStore();
  folder = await mkdtemp(join(tmpdir(), 'baton-backup-'));
  const { runId } = await store.request({ event: requestedEvent({ at: nowMs }) });
  const opened = await store.journal.open(runId);
  const failure = { code: 'cancelled', message: 'x' } as const;
  const events = [
    { type: 'signal.received', at: nowMs + 1, name: 's', payload, by: 'x' },
    { type: 'run.cancelRequested', at: nowMs + 1, by: 'x' },
    { type: 'run.ending', at: nowMs + 2, status: 'cancelled', failure },
    { type: 'run.finished', at: nowMs + 2, status: 'cancelled', failure },
  ] as const;
  await opened?.log.append({ events, row: runningRow({ status: 'cancelled', endedAt: nowMs + 2, failure }) });
  await putSecret(store, new Vault(testSecretKey), { name: 'A', value: 'x', by: 'ada' });
  await sealRuns(store, { nowMs: nowMs + 600_001 });
});
afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

async function backup(): Promise<string> {
  const file = join(folder, `${crypto.randomUUID()}.backup`);
  await writeBackup(store.url, createWriteStream(file), new Date(nowMs));
  return file;
}

async function emptyDatabase(): Promise<string> {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  return database.url;
}

/** In the chains of journals and entries, and in the seals over them. */
async function faultIn(database: Store): Promise<unknown> {
  const verifier = new AuditVerifier();
  for await (const record of auditRecords(database, { nowMs: nowMs + 700_000, isWithUnsealed: true }))
    verifier.take(record);
  return verifier.report({ isFile: false }).problem;
}

test('what was written is restored into another database, byte for byte, and its audit trail is intact', async () => {
  const file = await backup();
  const url = await emptyDatabase();
  const { rows, madeAt } = await restoreBackup(url, createReadStream(file), restoredAt);
  expect([madeAt, rows.get('run'), rows.get('run_event')]).toEqual([new Date(nowMs).toISOString(), 1, 5]);
  const restored = openStore({ url, secretKey: testSecretKey });
  onTestFinished(() => restored.close());
  expect(await faultIn(store)).toBeUndefined();
  expect(await faultIn(restored)).toBeUndefined();
  expect(await readFence(restored)).toMatchObject({ cause: 'restored' });
  await tamper(restored, 'delete from fence');
  const again = join(folder, 'again.backup');
  await writeBackup(url, createWriteStream(again), new Date(nowMs));
  const [one, other] = await Promise.all([readFile(file), readFile(again)]);
  expect(gunzipSync(other).toString()).toBe(gunzipSync(one).toString());
});

test('After a restore into another server, and after a dump by hand, the feed has each event once, in its past', async () => {
  // As of a server that had made a million transactions more.
  await tamper(store, 'update run_event set xact = xact + 1000000');
  const feedOf = async (url: string): Promise<readonly string[]> => {
    const restored = openStore({ url, secretKey: testSecretKey });
    onTestFinished(() => restored.close());
    const { events, end } = await readFeed(restored, { after: `0-${noRun}-0`, limit: 100 });
    const after = events.at(-1)?.position ?? end;
    expect(isAhead(after, await feedEnd(restored))).toBe(false);
    expect((await readFeed(restored, { after, limit: 100 })).events).toEqual([]);
    return events.map(({ event }) => event.type);
  };
  const types = ['run.requested', 'signal.received', 'run.cancelRequested', 'run.ending', 'run.finished'];
  const url = await emptyDatabase();
  await restoreBackup(url, createReadStream(await backup()), restoredAt);
  expect(await feedOf(url)).toEqual(types);
  expect(await feedOf(store.url)).toEqual([]);
  await migrate(store.url);
  expect(await feedOf(store.url)).toEqual(types);
});

test('a database that is not empty is left alone, and so is one that a broken backup was meant for', async () => {
  const file = await backup();
  await expect(restoreBackup(store.url, createReadStream(file), restoredAt)).rejects.toThrow(
    'The database is not empty',
  );
  const url = await emptyDatabase();
  const text = gunzipSync(await readFile(file)).toString();
  const cut = gzipSync(text.slice(0, text.lastIndexOf('\\.')));
  await expect(restoreBackup(url, Readable.from([cut]), restoredAt)).rejects.toThrow(RestoreError);
  await expect(restoreBackup(url, Readable.from([gzipSync('{}\n')]), restoredAt)).rejects.toThrow(
    'not a backup of Baton',
  );
  for (const header of ['"migrations":null', '"migrations":[1]', '"migrations":{}']) {
    const odd = gzipSync(text.replace(/"migrations":\[[^\]]*\]/, header));
    await expect(restoreBackup(url, Readable.from([odd]), restoredAt)).rejects.toThrow('not a backup of Baton');
  }
  for (const second of ['no JSON', 'null', '[]', '{"table":1,"columns":[]}', '{"table":"run","columns":null}']) {
    const [first = '', , ...rest] = text.split('\n');
    const odd = gzipSync([first, second, ...rest].join('\n'));
    await expect(restoreBackup(url, Readable.from([odd]), restoredAt)).rejects.toThrow('The backup is damaged');
  }
  const newer = gzipSync(text.replace('"migrations":[', '"migrations":["29990101000000_later",'));
  await expect(restoreBackup(url, Readable.from([newer]), restoredAt)).rejects.toThrow('A newer Baton');
  // Nothing of the failed ones is there.
  expect((await restoreBackup(url, createReadStream(file), restoredAt)).rows.get('run')).toBe(1);
});
