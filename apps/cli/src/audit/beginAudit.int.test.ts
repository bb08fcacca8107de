import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';

import { claimMarks, openStore, verifyAudit } from '@baton/store';
import { freshDatabase, requestedEvent, tamper, testSecretKey } from '@baton/testing';
import { expect, onTestFinished, test } from 'vitest';

import { runCommandLine } from '../program.ts';

/** A database whose audit lost the entry that says since when there are marks. */
async function brokenInstallation() {
  const [database, folder] = await Promise.all([freshDatabase(), mkdtemp(join(tmpdir(), 'baton-begin-'))]);
  const store = openStore({ url: database.url, secretKey: testSecretKey, applicationName: 'test' });
  onTestFinished(async () => {
    await store.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });
  await claimMarks(store);
  await store.request({ event: requestedEvent({ at: Date.now() }) });
  await tamper(store, 'delete from audit_entry');
  const begin = async (...args: readonly string[]): Promise<{ code: number; stderr: string }> => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const said = readAll(stderr);
    const env = { DATABASE_URL: database.url, BATON_DATA: folder, BATON_SECRET_KEY: testSecretKey.toString('base64') };
    const code = await runCommandLine(['audit', 'begin', ...args], { env, stdin: Readable.from(['']), stdout, stderr });
    stderr.end();
    return { code, stderr: await said };
  };
  return { store, url: database.url, begin };
}

test('baton audit begin says what its operator answers for, and changes nothing without a yes', async () => {
  const { store, begin } = await brokenInstallation();
  await expect(claimMarks(store)).rejects.toThrow(/`baton audit begin`/);
  expect(await begin()).toEqual({
    code: 2,
    stderr: expect.stringMatching(/holds 1 run and 0 entries .* nothing proves.*hint: add --yes/s) as string,
  });
  await expect(claimMarks(store)).rejects.toThrow(/is forged/);
  expect(await begin('--yes')).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/The audit begins with entry 1, \d{4}-.*Each verification/) as string,
  });
  await claimMarks(store);
  const { entries } = await verifyAudit(store, { nowMs: Date.now(), keep: { runsMs: 1, recordsMs: 1 } });
  expect(entries).toBe(1);
  expect((await begin()).stderr).toMatch(
    /^The audit of this database began with entry 1, .*audit-marks.json names it now/,
  );
});

test('baton audit begin does nothing while Baton works on the database', async () => {
  const { url, begin } = await brokenInstallation();
  const running = openStore({ url, secretKey: testSecretKey });
  await running.pool.query('select 1');
  expect(await begin('--yes')).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('stop every orchestrator and every worker') as string,
  });
  await running.close();
});
