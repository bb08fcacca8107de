/** One JSON object per event and line, for programs. */
import type { Json } from '@baton/language';

import type { Followed } from '../client/follow.ts';
import { jsonText } from '../output/json.ts';
import type { Output } from '../output/output.ts';
import type { Reporter } from './reporter.ts';
import { silentReporter } from './reporter.ts';

export const jsonReporter = (output: Output): Reporter => ({
  ...silentReporter,
  event: ({ seq, event }: Followed) => output.line(jsonText({ seq, ...event } as unknown as Json, 'line')),
});
