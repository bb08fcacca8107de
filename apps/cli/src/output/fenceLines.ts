/** What `baton fence show` prints. */
import type { Fence } from '@baton/api/client';
import { wrapWords } from '@baton/primitives';

import { oneLine, plural } from './text.ts';

/** `columns`: the width of the terminal; without one, a run is one line. */
export function fenceLines({ stands, message = '', activeRuns, runs }: Fence, columns = Infinity): string[] {
  if (!stands) return ['The fence does not stand: runs go on.'];
  const width = columns - 1;
  const shown = runs.flatMap(({ id, workflow, status, calls }) => {
    const may = calls.length === 0 ? 'no write' : `may have made ${calls.map(oneLine).join(', ')}`;
    const run = `  ${id}  ${oneLine(workflow)}  ${status}`;
    const whole = `${run}  ${may}`;
    return whole.length <= width ? [whole] : [run, ...wrapWords(may, width - 4).map((line) => `    ${line}`)];
  });
  const more = activeRuns - runs.length;
  return [
    ...wrapWords(message, width),
    `${plural(activeRuns, 'run')} ${activeRuns === 1 ? 'was' : 'were'} active${shown.length === 0 ? '.' : ':'}`,
    ...shown,
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}
