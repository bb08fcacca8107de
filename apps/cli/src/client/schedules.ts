/** Schedules, as the API shows them. */
import type { JsonObject } from '@baton/language';

import type { Client } from './client.ts';
import { collect } from './pages.ts';

export interface ShownSchedule {
  readonly id: string;
  readonly cron: string;
  readonly timezone: string;
  readonly paused: boolean;
  /** The next five instants. */
  readonly next: readonly string[];
}

const schedulePath = (id: string): string => `/v1/schedules/${encodeURIComponent(id)}`;

export const listSchedules = (client: Client, workflow: string | undefined): Promise<ShownSchedule[]> =>
  collect(client, '/v1/schedules', { query: { workflow } });

export async function getSchedule(client: Client, id: string): Promise<ShownSchedule> {
  return (await client.get(schedulePath(id))) as unknown as ShownSchedule;
}

/** `Answer` is what the contract says of that route. */
export async function tellSchedule<Answer extends object>(
  client: Client,
  id: string,
  what: 'pause' | 'resume' | 'trigger' | 'backfill',
  body?: JsonObject,
): Promise<Answer> {
  const { json } = await client.call('POST', `${schedulePath(id)}/${what}`, body === undefined ? {} : { body });
  return json as unknown as Answer;
}
