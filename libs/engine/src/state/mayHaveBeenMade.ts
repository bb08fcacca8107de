/** A call that begins after its run went back in time: whether Postgres has lost that it was made before. */
import type { Call } from './event.ts';
import { hasSideEffects } from './hasSideEffects.ts';
import { type Path, parsePath } from './path.ts';
import type { UnfinishedRun } from './run.ts';

/**
 * `seenAt`: where in the journal the step was last seen, 0 where never. Only the first time after the lost interval: what
 * follows then, such as its `check`, says what a next attempt may do.
 */
export function mayHaveBeenMade(
  { rewind, session }: UnfinishedRun,
  { path, call }: { readonly path: Path; readonly call: Call },
  seenAt: number,
): boolean {
  if (rewind === undefined || seenAt > rewind.seq || !hasSideEffects(call)) return false;
  if (session === undefined) return true;
  const [, key] = parsePath(path);
  return session.calls.findIndex((one) => one.path === key) < rewind.calls;
}
