/** Schemas of workers, the queue and settings. */
import * as z from 'zod';

import { type Exact, InstantSchema } from './values.ts';

export const WorkerSchema = z
  .strictObject({
    id: z.string(),
    host: z.string(),
    pid: z.int(),
    version: z.string(),
    status: z.enum(['working', 'draining', 'silent']).meta({
      description: '`draining`: takes no more runs. `silent`: its heartbeat is late; others take its runs over.',
    }),
    startedAt: InstantSchema,
    heartbeatAt: InstantSchema,
    runs: z.int().meta({ description: 'Runs that it drives.' }),
    concurrency: z.int().optional().meta({ description: 'Runs that it drives at the same time at most.' }),
    drainBy: z.string().optional().meta({ description: 'Who drained the worker.' }),
  })
  .meta({ id: 'Worker' });

export type Worker = Exact<z.output<typeof WorkerSchema>>;

export const QueueSchema = z
  .strictObject({
    queued: z.int().meta({ description: 'Runs that wait for a worker; at most 100,000 are counted.' }),
    oldestAt: InstantSchema.optional().meta({ description: 'When the oldest queued run was created.' }),
    running: z.int(),
    waiting: z.int().meta({ description: 'Runs that wait for time, an answer, a signal or another run.' }),
    delayed: z.int().meta({ description: 'Queued runs that are to begin later.' }),
  })
  .meta({ id: 'Queue' });

export type Queue = Exact<z.output<typeof QueueSchema>>;

export const SettingSchema = z
  .strictObject({
    name: z.string(),
    value: z.string().optional().meta({ description: 'The value as set; `***` for a secret. Absent if not set.' }),
    source: z.string().meta({ description: '`environment`, `default`, or `absent`.' }),
    description: z.string(),
  })
  .meta({ id: 'Setting' });

export type Setting = Exact<z.output<typeof SettingSchema>>;
