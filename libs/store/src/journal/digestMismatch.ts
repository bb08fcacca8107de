import { FailureError } from '@baton/engine';

/** The failure for content that does not match its digest: it was changed in the database, or the disk failed. */
export const digestMismatch = (what: string): FailureError =>
  new FailureError(
    'integrity-lost',
    `${what} was changed in the database: it does not match its digest. See \`baton audit verify\`.`,
  );
