/** `baton audit begin`: the operator answers for what a database holds, where Baton cannot. */
import { marksFile, readSecretKey, readSettings, SettingsError, StartError } from '@baton/boot';
import { beginMarksByHand, MarksError, migrate, openStore } from '@baton/store';

import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exitCodes.ts';
import { confirmed } from '../inputs/confirmed.ts';
import { plural } from '../output/text.ts';
import { openDatabase } from '../stack/openDatabase.ts';

const by = 'baton audit begin';

export interface BeginOptions {
  readonly data: string | undefined;
  readonly isAgreed: boolean;
}

/** Rejects with `CommandError`. */
export async function beginAudit(context: Context, { data, isAgreed }: BeginOptions): Promise<void> {
  const { stderr, env } = context;
  const place = await openDatabase(context, data, 'must not run');
  try {
    const { settings } = readSettings([{ name: 'environment', values: { ...env, BATON_DATA: place.folder } }]);
    const secretKey = await readSecretKey({ given: settings.BATON_SECRET_KEY, dataFolder: place.folder });
    const onTrouble = (what: string): void => stderr.line(`warning: ${what}`);
    const memory = marksFile({ dataFolder: place.folder, databaseUrl: place.url, onTrouble });
    await migrate(place.url);
    const store = openStore({ url: place.url, secretKey, applicationName: by });
    try {
      const agree = (existing: ExistingRecords): Promise<void> => agreed(context, existing, isAgreed);
      const { isNew, entry, at } = await beginMarksByHand(store, { by, memory, agree });
      const since = `entry ${entry}, ${new Date(at).toISOString()}`;
      if (isNew) stderr.line(`The audit begins with ${since}. Each verification and each export says so.`);
      else stderr.line(`The audit of this database began with ${since}. ${memory.file} names it now.`);
    } finally {
      await store.close();
    }
  } catch (error) {
    throw told(error);
  } finally {
    await place.close();
  }
}

interface ExistingRecords {
  readonly runs: number;
  readonly entries: number;
}

/** Says what the operator answers for, and asks. */
async function agreed(context: Context, { runs, entries }: ExistingRecords, isAgreed: boolean): Promise<void> {
  const { stderr } = context;
  stderr.line(
    `The database holds ${plural(runs, 'run')} and ${entries} ${entries === 1 ? 'entry' : 'entries'} of the audit, and nothing proves that they are as Baton wrote them.`,
  );
  stderr.line('From now on Baton takes them as they stand: also the approvals in runs that have not ended.');
  if (isAgreed) return;
  await confirmed(context, {
    question: 'Do you answer for them?',
    refusal: 'This would begin the audit anew, and there is no terminal to confirm it on.',
    hint: 'add --yes',
    declined: 'Nothing was changed.',
  });
}

function told(error: unknown): unknown {
  if (error instanceof MarksError) return new CommandError(exitCodes.conflict, `${error.message}.`, { cause: error });
  if (error instanceof SettingsError) return new CommandError(exitCodes.usage, error.message, { cause: error });
  if (error instanceof StartError) return new CommandError(exitCodes.failed, error.message, { cause: error });
  return error;
}
