import type { Context } from '../context.ts';

/** Prints that the run waits for an answer. */
export const printWaitingHint = ({ stderr }: Context): void =>
  stderr.line(`${stderr.paint.yellow('The run waits for an answer:')} baton answer`);
