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
  const kept = keptWrites(plan, run);
  const made = listed(plan, run, paths, count);
  const before = listed(plan, run, kept, kept.length);
  const calls = [...made.calls, ...before.calls];
  if (kept.length === 0)
    return {
      text: count === 0 ? 'The run has made no writes.' : `The run has made these writes: ${made.text}.`,
      calls,
    };
  const own = count === 0 ? '' : `The run has made these writes: ${made.text}. `;
  return { text: `${own}It has kept these writes of the run before: ${before.text}.`, calls };
}

function listed(plan: Plan, run: Run, paths: readonly Path[], count: number): WritesMade {
  const calls = paths.slice(0, namedMax).map((path) => `${targetAt(plan, run, path)} at ${path}`);
  const rest = count - calls.length;
  return { calls, text: `${calls.join(', ')}${rest === 0 ? '' : ` and ${rest.toLocaleString('en')} more`}` };
}

/** Oldest first. */
function keptWrites(plan: Plan, run: Run): readonly Path[] {
  const paths: Path[] = [];
  for (let one = run.writes.kept; one !== undefined; one = one.before) {
    const step = stepFor(plan, run, one.path);
    const isRead = step?.verb === 'tool' ? step.effect.effect === 'read' : step?.verb === 'workflow' && step.mustRead;
    if (isRead !== true) paths.push(one.path);
  }
  return paths.toReversed();
}

function targetAt(plan: Plan, run: Run, path: Path): string {
  const step = stepFor(plan, run, path);
  if (step?.verb === 'tool') return `${step.server}/${step.tool}`;
  return step?.verb === 'workflow' ? `the workflow ${step.workflow}` : 'a call';
}
