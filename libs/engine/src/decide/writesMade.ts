/** Lists the writes that a run has made, for a person who must know what is there. */
import type { Plan } from '@baton/language';

import { stepFor } from '../state/locate.ts';
import type { Path } from '../state/path.ts';
import type { Run } from '../state/run.ts';

export interface WritesMade {
  readonly text: string;
  /** `github/add_label at labelled` */
  readonly calls: readonly string[];
}

const namedMax = 8;

export function writesMade(plan: Plan, run: Run): WritesMade {
  const { count, paths } = run.writes;
  const calls = paths.slice(0, namedMax).map((path) => `${targetAt(plan, run, path)} at ${path}`);
  const rest = count - calls.length;
  if (count === 0) return { text: 'The run has made no writes.', calls };
  const more = rest === 0 ? '' : ` and ${rest.toLocaleString('en')} more`;
  return { text: `The run has made these writes: ${calls.join(', ')}${more}.`, calls };
}

function targetAt(plan: Plan, run: Run, path: Path): string {
  const step = stepFor(plan, run, path);
  if (step?.verb === 'tool') return `${step.server}/${step.tool}`;
  return step?.verb === 'workflow' ? `the workflow ${step.workflow}` : 'a call';
}
