import type { Key } from './schemas/key.ts';

/** What a key is limited to; empty: to nothing but its scopes. */
export const keyLimitsText = ({ workflows, effects, approve, limits: { runs, items, checks } = {} }: Key): string =>
  [
    workflows === undefined ? [] : [`only ${workflows.join(' ')}`],
    effects === undefined ? [] : [`effects up to ${effects}`],
    approve === undefined ? [] : ['writes approved'],
    runs === undefined ? [] : [`${runs} runs`],
    items === undefined ? [] : [`${items} items/run`],
    checks === undefined ? [] : [`${checks} checks/min`],
  ]
    .flat()
    .join(', ');
