/** What `baton fence show` prints. */
import type { Fence } from '@baton/api/client';

import { oneLine, plural } from './text.ts';

export function fenceLines({ stands, message = '', activeRuns, runs }: Fence): string[] {
  if (!stands) return ['The fence does not stand: runs go on.'];
  const shown = runs.map(({ id, workflow, status, calls }) => {
    const may = calls.length === 0 ? 'no write' : `may have made ${calls.map(oneLine).join(', ')}`;
    return `  ${id}  ${oneLine(workflow)}  ${status}  ${may}`;
  });
  const more = activeRuns - runs.length;
  return [
    message,
    `${plural(activeRuns, 'run')} ${activeRuns === 1 ? 'was' : 'were'} active${shown.length === 0 ? '.' : ':'}`,
    ...shown,
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}
