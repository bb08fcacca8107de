/** One status for many steps: the worst of them. */
import type { StepStatus } from '@baton/engine';

const order: readonly StepStatus[] = [
  'failed',
  'unknown',
  'cancelled',
  'running',
  'retrying',
  'waiting',
  'succeeded',
  'skipped',
  'pending',
];

export function worstOf(steps: readonly { readonly status: StepStatus }[]): StepStatus {
  let worst = order.length - 1;
  for (const { status } of steps) worst = Math.min(worst, order.indexOf(status));
  return order[worst] ?? 'pending';
}

/** Combines items into at most `most` cells; each shows the worst status of its items. */
export function binned(cells: readonly StepStatus[], most: number): StepStatus[] {
  if (cells.length <= most) return [...cells];
  return Array.from({ length: most }, (_, at) => {
    const from = Math.floor((at * cells.length) / most);
    const to = Math.max(from + 1, Math.floor(((at + 1) * cells.length) / most));
    return worstOf(cells.slice(from, to).map((status) => ({ status })));
  });
}
