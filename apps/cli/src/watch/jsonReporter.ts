/** Reports each event as a line of JSON, for programs. */
import type { FollowedEvent } from '@baton/api/client';

import { jsonText } from '../output/json.ts';
import type { Output } from '../output/output.ts';
import { type Reporter, silentReporter } from './reporter.ts';

export const jsonReporter = (output: Output): Reporter => ({
  ...silentReporter,
  event: ({ seq, event }: FollowedEvent) => output.line(jsonText({ seq, ...event }, 'line')),
});
