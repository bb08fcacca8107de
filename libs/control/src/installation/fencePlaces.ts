/** Where this process keeps what it last saw in the database: in the data folder, and where `BATON_FENCE` says. */
import { join, resolve } from 'node:path';

import { type Service, epochFile, StartError } from '@baton/boot';
import { redisEpochs } from '@baton/queue';
import { type EpochPlace, installationId, type Store, watchHistory } from '@baton/store';

const isRedis = (place: string): boolean => /^rediss?:/i.test(place);

function placesOf({ settings, lifecycle }: Pick<Service, 'settings' | 'lifecycle'>): EpochPlace[] {
  const { BATON_DATA: folder, BATON_FENCE: more } = settings;
  const open = (place: string): EpochPlace =>
    isRedis(place) ? lifecycle.closing('fence', redisEpochs(place)) : epochFile(resolve(place));
  return [epochFile(join(folder, 'fence.json')), ...more.map(open)];
}

/**
 * Holds the database against what was seen in it before, and from then on each second. Rejects with `StartError` where a
 * place cannot be read: nothing else would notice a database that went back in time.
 */
export async function beginFence(
  service: Pick<Service, 'settings' | 'lifecycle' | 'log' | 'onTrouble'>,
  store: Store,
  clock: Parameters<typeof watchHistory>[0]['clock'],
): Promise<void> {
  const { lifecycle, log, onTrouble } = service;
  const readable = (place: EpochPlace): EpochPlace => ({
    ...place,
    read: (installation) =>
      place.read(installation).catch((error: unknown) => {
        if (error instanceof StartError) throw error;
        const why = `${place.name} cannot be read: ${error instanceof Error ? error.message : String(error)}`;
        throw new StartError(`${why}. BATON_FENCE names it: without it, a restored database would not be noticed.`, {
          cause: error,
        });
      }),
  });
  const places = placesOf(service).map(readable);
  await store.history.begin({ installation: await installationId(store), places, onTrouble });
  const onTaskTrouble = (error: unknown, what: string): void => log.warn({ err: error }, what);
  lifecycle.closing('history', watchHistory({ store, clock, onTrouble: onTaskTrouble }));
}
