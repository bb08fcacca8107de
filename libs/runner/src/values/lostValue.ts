import { FailureError } from '@baton/engine';

/** A large value of an unfinished run is not in the database any more, or was changed there. */
export class LostValueError extends FailureError {
  constructor(message: string, options?: ErrorOptions) {
    super('integrity-lost', message, options);
  }
}

export const missingValue = (sha256: string): LostValueError =>
  new LostValueError(
    `The value ${sha256} of this run is not in the database any more. Restore it from a backup, or start the run again.`,
  );
