import type { Context } from '../context.ts';

/** Says that the run waits for a person. */
export const sayThatItAsks = ({ stderr }: Context): void =>
  stderr.line(`${stderr.paint.yellow('The run waits for an answer:')} baton answer`);
