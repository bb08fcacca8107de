/** Points in time that are known only in the run: they are what RFC 3339 writes, or the step fails. */
import { limits } from '@baton/expressions';
import { behaves } from '@baton/testing';
import { describe } from 'vitest';

const dayMs = 86_400_000;
/** The runs of these tests begin then. */
const startMs = 1_700_000_000_000;
const inDays = (days: number): string => new Date(startMs + days * dayMs).toISOString();

const file = 'inputs: { at: { type: string } }\nsteps: [{ wait: { until: "${{ inputs.at }}" } }, { tool: s/after }]';

describe('a wait until a computed time', () => {
  behaves({
    'ends at the time, and not before it': { file, inputs: { at: inDays(300) }, ledger: ['s/after'] },
    'ends at once where the time is past': { file, inputs: { at: inDays(-1) }, ledger: ['s/after'] },
    'fails where the time is further away than a step may wait, and does not end early': {
      file,
      inputs: { at: inDays(limits.step.waitMs / dayMs + 2) },
      ends: 'expression-failed',
      ledger: [],
    },
  });
  behaves(
    Object.fromEntries(
      ['1', '12', '2027', 'March 7', '12/24/2026', '2026-12-24', '2023-11-20T10:00:00', '2026-02-30T10:00:00Z'].map(
        (at) => [
          `fails for ${at}, which is no point in time`,
          { file, inputs: { at }, ends: 'expression-failed', ledger: [] },
        ],
      ),
    ),
  );
});
