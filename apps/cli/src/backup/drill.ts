/** `baton restore --drill`: restores into a database that is removed again, and says what a real restore would come to. */
import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';

import { readSecretKey, readSettings, temporaryPostgres } from '@baton/boot';
import { isEnded, possibleCalls, replay } from '@baton/engine';
import { durationText } from '@baton/primitives';
import {
  type Store,
  type ValuePlace,
  cachedPlans,
  countRuns,
  openPlace,
  openStore,
  restoreBackup,
  runIds,
  ValuePlaceError,
  verifyAudit,
} from '@baton/store';

import { ownDataFolder } from '../client/dataFolder.ts';
import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exitCodes.ts';
import { fenceLines } from '../output/fenceLines.ts';
import { plural } from '../output/text.ts';
import { type BackupOptions, summary, unusable } from './backUp.ts';

const active = { statuses: ['queued', 'running', 'waiting'] } as const;
const shownMax = 100;
const countedMax = 100_000;
const forever = { runsMs: Infinity, recordsMs: Infinity };

/** Rejects with `CommandError`. */
export async function drill(context: Context, { file, data }: BackupOptions): Promise<void> {
  const { stderr } = context;
  const secretKey = await existingKey(context, data);
  const postgres = await temporaryPostgres();
  try {
    const begunAt = performance.now();
    const { madeAt, rows } = await restoreBackup(postgres.url, createReadStream(file), new Date()).catch(
      (error: unknown) => {
        throw unusable(error, `${file} cannot be restored`);
      },
    );
    const took = durationText(performance.now() - begunAt);
    stderr.line(`${stderr.paint.green('✓')} Restored as of ${madeAt} in ${took}: ${summary(rows)}.`);
    const applicationName = 'baton restore --drill';
    const store = openStore({ url: postgres.url, secretKey, values: valuesOf(context), applicationName });
    try {
      await report(context, store);
    } finally {
      await store.close();
    }
  } finally {
    await postgres.stop();
  }
  stderr.line('This was a drill: the database is removed.');
}

/** A backup has only the digests of values that were moved elsewhere. */
function valuesOf({ env }: Context): ValuePlace | undefined {
  const { BATON_VALUES: address } = readSettings([{ name: 'environment', values: env }]).settings;
  if (address === undefined) return undefined;
  try {
    return openPlace(address, env);
  } catch (error) {
    if (!(error instanceof ValuePlaceError)) throw error;
    throw new CommandError(exitCodes.usage, error.message, { cause: error });
  }
}

/** The audit is verified with the key of the installation; a new one would say that every mark is forged. */
async function existingKey({ env }: Context, data: string | undefined): Promise<Buffer> {
  const folder = data ?? env['BATON_DATA'] ?? (await ownDataFolder());
  const { settings } = readSettings([{ name: 'environment', values: { ...env, BATON_DATA: folder } }]);
  const given = settings.BATON_SECRET_KEY;
  const place = join(folder, 'secret-key');
  if (given === undefined)
    await access(place).catch((cause: unknown) => {
      const hint = 'set BATON_SECRET_KEY, or name the data folder with --data';
      throw new CommandError(exitCodes.usage, `The audit is verified with the secret key, and ${place} is not there.`, {
        cause,
        hint,
      });
    });
  return readSecretKey({ given, dataFolder: folder });
}

async function report(context: Context, store: Store): Promise<void> {
  const { stderr } = context;
  const { isIntact, problem } = await verifyAudit(store, { nowMs: Date.now(), keep: forever });
  if (isIntact) stderr.line(`${stderr.paint.green('✓')} The audit is intact.`);
  else {
    context.exitCode = exitCodes.failed;
    stderr.line(`${stderr.paint.red('✗')} The audit was changed: ${problem?.where ?? ''} ${problem?.message ?? ''}`);
  }
  const plans = cachedPlans(store);
  const { ids } = await runIds(store, active, { limit: shownMax });
  const runs: Parameters<typeof fenceLines>[0]['runs'] = [];
  for (const id of ids) {
    const opened = await store.journal.open(id);
    const run = opened && replay(id, opened.events);
    if (run === undefined || isEnded(run)) continue;
    const { workflow, status, definition } = run;
    runs.push({ id, workflow, status, calls: possibleCalls(await plans(definition), run) });
  }
  const activeRuns = await countRuns(store, active, countedMax);
  const message = `After a restore, ${plural(activeRuns, 'run')} would wait for \`baton fence lift\`; the first time, what each may have made is unknown.`;
  for (const line of fenceLines({ stands: true, message, activeRuns, runs }, stderr.columns())) stderr.line(line);
}
