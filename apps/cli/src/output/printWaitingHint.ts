import type { Context } from '../context.ts';

/** For who might wait for a run that itself waits for somebody. */
export const sayThatItAsks = ({ stderr }: Context): void =>
  stderr.line(`${stderr.paint.yellow('The run waits for an answer:')} baton answer`);
