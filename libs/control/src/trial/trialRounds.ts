/** The rounds of `repeat` steps that a path leads through. */
import type { Plan } from '@baton/language';

import { stepsIn } from './stepsIn.ts';

/** The keys of the `repeat` steps. */
export const repeatKeys = (plan: Plan): ReadonlySet<string> =>
  new Set([...stepsIn(plan)].flatMap(({ step }) => (step.verb === 'repeat' ? [step.key] : [])));

/** The path of each `repeat` around the step, from outside inwards, with the number of its round. */
export function roundsIn(path: string, repeats: ReadonlySet<string>): readonly (readonly [string, number])[] {
  const parts = path.split(/([/>])/);
  return parts.flatMap((part, at) => {
    const isRound = /^\d+$/.test(part) && repeats.has(parts[at - 2] ?? '');
    return isRound ? [[parts.slice(0, at - 1).join(''), Number(part)] as const] : [];
  });
}
