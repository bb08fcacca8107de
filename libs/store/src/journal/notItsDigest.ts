import { FailureError } from '@baton/engine';

/** The text read differs from the text stored under this digest: it was changed in the database, or the disk failed. */
export const notItsDigest = (what: string): FailureError =>
  new FailureError(
    'integrity-lost',
    `${what} was changed in the database: it does not have its digest. See \`baton audit verify\`.`,
  );
