/** What `baton fence show` prints. */
import type { Fence } from '@baton/api/client';

import { oneLine, plural, widthOf, wrap } from './text.ts';

/** `columns`: the width of the terminal; without one, a run is one line. */
export function fenceLines({ stands, message = '', activeRuns, runs }: Fence, columns = Infinity): string[] {
  if (!stands) return ['The fence does not stand: runs go on.'];
  const width = columns - 1;
  const shown = runs.flatMap(({ id, workflow, status, calls }) => {
    const may = calls.length === 0 ? 'no write' : `may have made ${calls.map(oneLine).join(', ')}`;
    const run = `  ${id}  ${oneLine(workflow)}  ${status}`;
    const whole = `${run}  ${may}`;
    if (widthOf(whole) <= width) return [whole];
    const below = (text: string): string[] => wrap(text, width - 4).map((line) => `    ${line}`);
    const head = widthOf(run) <= width ? [run] : [`  ${id}  ${status}`, ...below(oneLine(workflow))];
    return [...head, ...below(may)];
  });
  const more = activeRuns - runs.length;
  return [
    ...wrap(message, width),
    `${plural(activeRuns, 'run')} ${activeRuns === 1 ? 'was' : 'were'} active${shown.length === 0 ? '.' : ':'}`,
    ...shown,
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}
