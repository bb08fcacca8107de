import type { AuditCall } from '@baton/api/client';

type Call = Pick<AuditCall, 'at' | 'outcome' | 'run' | 'step'>;

/**
 * The last call that succeeded, but for those of this step. The server lists them run by run, and runs overlap.
 */
export const newestCall = <One extends Call>(
  calls: readonly One[],
  { run, step }: Pick<Call, 'run' | 'step'>,
): One | undefined =>
  calls
    .filter((one) => one.outcome === 'succeeded' && !(one.run === run && one.step === step))
    .toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at))[0];
