import { countText } from '@baton/engine';

import type { Context } from '../context.ts';

/** Prints how the open questions of the run are answered. */
export function printWaitingHint({ stderr }: Context, runId: string, questions: number): void {
  const [what, command] =
    questions > 1
      ? [countText(questions, 'answer'), `baton answer --run ${runId}`]
      : ['an answer', `baton answer ${runId}`];
  stderr.line(`${stderr.paint.yellow(`The run waits for ${what}:`)} ${command}`);
}
