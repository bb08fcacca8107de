import * as z from 'zod';

export const AliveSchema = z.strictObject({ status: z.literal('ok') });

const PartSchema = z
  .strictObject({
    status: z.enum(['ok', 'away', 'off']).meta({
      description:
        '`off`: the clock differs from the clock of Postgres by more than two seconds, Postgres went back in time, or retention failed to remove what it should.',
    }),
    message: z.string().optional().meta({ description: 'What to do about it; can be present for a part that works.' }),
  })
  .meta({ id: 'Part' });

export const ReadinessSchema = z
  .strictObject({
    status: z.enum(['ok', 'degraded', 'fenced', 'down']).meta({
      description:
        '`degraded`: runs continue, but later than they could, schedules are left to other orchestrators, or nothing is removed. `fenced`: the database went back in time, and until a person lifts the fence no run goes on. `down`: Postgres is away or takes no writes (a standby, read-only, full, no connection left), so Baton can do nothing.',
    }),
    parts: z.strictObject({
      postgres: PartSchema,
      queue: PartSchema,
      clock: PartSchema,
      history: PartSchema,
      retention: PartSchema.optional().meta({ description: 'Absent in workers, which remove nothing.' }),
      rates: PartSchema.optional().meta({
        description: '`away`: calls to servers with a `rate` wait, since what counts them does not answer.',
      }),
      worker: PartSchema.optional().meta({ description: 'Absent in orchestrators, which drive no runs.' }),
    }),
  })
  .meta({ id: 'Readiness' });

export const IgnoredHookSchema = z
  .strictObject({ ignored: z.literal(true), reason: z.string() })
  .meta({ id: 'Ignored', description: 'The signature is valid, but the workflow’s trigger ignores this event.' });

export const HookChallengeSchema = z
  .strictObject({ challenge: z.string() })
  .meta({ id: 'HookChallenge', description: 'The sender asked whether this is the address of the hook.' });
