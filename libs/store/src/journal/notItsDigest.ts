import { FailureError } from '@baton/engine';

/** What was read is not what was stored under its digest: somebody changed it in the database, or the disk did. */
export const notItsDigest = (what: string): FailureError =>
  new FailureError(
    'integrity-lost',
    `${what} was changed in the database: it does not have its digest. See \`baton audit verify\`.`,
  );
