import * as z from 'zod';

export const AliveSchema = z.strictObject({ status: z.literal('ok') });

const PartSchema = z
  .strictObject({
    status: z
      .enum(['ok', 'away', 'off'])
      .meta({ description: '`off`: a clock that differs from Postgres’ by more than two seconds.' }),
    message: z.string().optional().meta({ description: 'What is to be done about it; also of one that answers.' }),
  })
  .meta({ id: 'Part' });

export const ReadinessSchema = z
  .strictObject({
    status: z.enum(['ok', 'degraded', 'down']).meta({
      description:
        '`degraded`: runs go on, later than they could, or schedules are left to other orchestrators. `down`: nothing can be done without Postgres.',
    }),
    parts: z.strictObject({ postgres: PartSchema, queue: PartSchema, clock: PartSchema }),
  })
  .meta({ id: 'Readiness' });

export const IgnoredHookSchema = z
  .strictObject({ ignored: z.literal(true) })
  .meta({ id: 'Ignored', description: 'It is signed, and not one that the workflow is meant for.' });
