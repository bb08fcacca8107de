/** Lets a caller replace a version only if it is the one that the caller has seen. */

/** Called with the newest version while it is locked; undefined: there is no version, or it was removed. */
export type MayReplace = (newest: number | undefined) => boolean;

/** The newest version is not the one that the caller wants to replace. */
export class ReplacedError extends Error {
  override readonly name = 'ReplacedError';
  readonly newest: number | undefined;

  constructor(what: string, newest: number | undefined) {
    super(`of ${what} ${newest === undefined ? 'no version' : `version ${newest}`} is the newest`);
    this.newest = newest;
  }
}

/** Throws `ReplacedError`. */
export function checkReplacing(what: string, newest: number | undefined, mayReplace: MayReplace | undefined): void {
  if (mayReplace?.(newest) === false) throw new ReplacedError(what, newest);
}
