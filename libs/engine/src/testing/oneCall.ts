/** A workflow of one call, and helpers that read its simulated runs. */
import { textResult } from '@baton/testing';

import type { CallResult, SimulatedCall } from '../play/play.ts';
import type { RunEvent } from '../state/event.ts';

/** How a run ended: its last event, without type and time. */
export const outcome = (journal: readonly RunEvent[]): unknown => {
  const last = journal.at(-1);
  if (last?.type !== 'run.finished') return last;
  const { type: _type, at: _at, ...end } = last;
  return end;
};

/** `a#2`: the second attempt of step `a`. */
export const paths = (calls: readonly SimulatedCall[]): string[] =>
  calls.map(({ path, attempt }) => `${path}#${attempt}`);

/** Fails the first `times` attempts, and then answers. */
export const failing =
  (
    times: number,
    delivery: 'unsent' | 'answered' | 'unknown',
    code = 'tool-failed',
  ): ((made: SimulatedCall) => CallResult) =>
  ({ attempt }) =>
    attempt > times ? { result: textResult('ok') } : { failure: { code, message: 'No.' }, delivery };

/** A workflow of one call. `more`: further lines of its step. */
export const one = (more = ''): string => `
workflow: one
steps:
  - id: a
    tool: s/t
    with: { n: 1 }
${more}
outputs: { a: "\${{ steps.a.text }}" }
`;
