/** A safeguard, how it is switched off, and who notices. */
export interface Mutation {
  /** What the safeguard does, in a few words: `npm run sabotage -- WORDS` finds it by them. */
  readonly safeguard: string;
  /** From the root of the repository. */
  readonly file: string;
  /** Occurs exactly once in `file`. */
  readonly find: string;
  /** What stands there instead: the safeguard is off, and the file still compiles. */
  readonly replace: string;
  /** Test files, from the root of the repository; with the safeguard off at least one test in them fails. */
  readonly shownBy: readonly string[];
}
