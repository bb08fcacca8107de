/** Schemas of the fence, which stands while the database is back in time. */
import * as z from 'zod';

import { type Exact, InstantSchema } from './values.ts';

export const FenceSchema = z
  .strictObject({
    stands: z.boolean().meta({ description: 'While it stands, no run goes on and nothing is sent.' }),
    cause: z.enum(['restored', 'behind']).optional().meta({
      description: '`restored`: from a backup. `behind`: it lacks what a process had seen in it.',
    }),
    from: InstantSchema.optional().meta({ description: 'What was recorded since then may be lost.' }),
    to: InstantSchema.optional().meta({ description: 'Until then.' }),
    message: z.string().optional(),
    activeRuns: z.int().meta({ description: 'Runs that a lift lets go on; at most 100,000 are counted.' }),
    runs: z
      .array(
        z.strictObject({
          id: z.string(),
          workflow: z.string(),
          status: z.enum(['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled']),
          calls: z.array(z.string()).meta({
            description: 'Writes and samples that it may have made in the lost time; a child workflow counts as one.',
          }),
        }),
      )
      .meta({ description: 'The newest hundred of them.' }),
  })
  .meta({ id: 'Fence' });

export type Fence = Exact<z.output<typeof FenceSchema>>;

export const FenceLiftSchema = z
  .strictObject({
    reason: z.string().min(1).max(1_000).meta({ description: 'For the audit.' }),
    trust: z.boolean().optional().meta({
      description: 'Runs go on as if nothing had happened in the lost time: for a test installation. Default: false.',
    }),
    makeUp: z.boolean().optional().meta({
      description: 'Schedules fire the instants of the lost time, as their `catchUp` says. Default: false.',
    }),
  })
  .meta({ id: 'FenceLift' });

export const LiftedFenceSchema = z
  .strictObject({
    runs: z.int().meta({
      description: 'Runs that go on. Each write and sample that one of them may have made is unknown at first.',
    }),
    schedules: z.array(z.string()).meta({ description: 'Ids of schedules that pass over instants of the lost time.' }),
  })
  .meta({ id: 'LiftedFence' });
