import type { Step } from '@baton/language';

import { sharedKeys } from '../state/locate.ts';
import type { Path } from '../state/path.ts';

/**
 * Adds the path of a step that is over, and those of the steps inside it that share its frame: a step that lost a race
 * has no outcome that is kept, and is not executed again either.
 */
export function addOver(over: Set<Path>, step: Step, prefix: string): void {
  over.add(prefix + step.key);
  for (const key of sharedKeys(step)) over.add(prefix + key);
}
