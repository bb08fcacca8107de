/** How long what is kept, and what would be removed now. */
import { durationText } from '@baton/language';
import * as z from 'zod';

import type { App } from '../http/edge.ts';
import type { Retention } from '../retention/retention.ts';

const KeptFor = z.string().meta({ description: 'A duration such as `90d`, or `forever`.' });

const RetentionShape = z
  .strictObject({
    runs: KeptFor,
    records: KeptFor,
    removable: z
      .strictObject({ runs: z.int(), records: z.int() })
      .meta({ description: 'What has been kept for longer, 100,000 of each at the most.' }),
  })
  .meta({ id: 'Retention' });

export function retentionRoutes(app: App, retention: Retention): void {
  app.get(
    '/v1/retention',
    {
      config: { access: ['audit:read'] },
      schema: {
        tags: ['Audit'],
        summary: 'How long what is kept, and what is removed next',
        description:
          '`BATON_KEEP_RUNS` and `BATON_KEEP_RECORDS` decide. A run is removed with all that were started by it, when the last of them is old enough and sealed; the audit says which (`runs.removed`).',
        response: { 200: RetentionShape },
      },
    },
    async () => {
      const { runsMs, recordsMs } = retention.keep;
      return { runs: keptFor(runsMs), records: keptFor(recordsMs), removable: await retention.count() };
    },
  );
}

const keptFor = (ms: number): string => (ms === Infinity ? 'forever' : durationText(ms));
