/** The filters of runs, without schemas: the API's queries, options of commands and the page's address follow from them. */
import type { RunStatus, Trigger } from '@baton/engine';
import type { Effect } from '@baton/language';

const namesIn = <Name extends string>(names: Readonly<Record<Name, true>>): [Name, ...Name[]] =>
  Object.keys(names) as [Name, ...Name[]];

export const runStatuses = namesIn<RunStatus>({
  queued: true,
  running: true,
  waiting: true,
  succeeded: true,
  failed: true,
  cancelled: true,
});

export const triggerKinds = namesIn<Trigger['kind']>({
  api: true,
  schedule: true,
  webhook: true,
  mcp: true,
  session: true,
  resource: true,
  poll: true,
  event: true,
  run: true,
  device: true,
  workflow: true,
  retry: true,
  rerun: true,
  undo: true,
});

/** First outcomes of calls, as the audit lists them. */
export const callOutcomes = ['succeeded', 'failed', 'retrying', 'unknown', 'cancelled', 'running'] as const;

export const effects = namesIn<Effect>({ read: true, idempotent: true, write: true });

interface FilterText {
  /** What the value is, in one word. */
  readonly value: string;
  readonly about: string;
}

export const runFilters = {
  workflow: { value: 'name', about: 'only runs of this workflow, or of a project, as payments/*' },
  status: { value: 'status', about: 'only runs with this status; can be repeated' },
  tag: { value: 'tag', about: 'only runs with this tag' },
  trigger: { value: 'kind', about: 'only runs with this trigger: api, schedule, webhook, …' },
  from: { value: 'instant', about: 'only runs created from this time on (RFC 3339); a date means its start, in UTC' },
  to: { value: 'instant', about: 'only runs created before this time; a date includes the whole day, in UTC' },
  text: { value: 'text', about: 'only runs that failed with this text in the failure' },
  retried: { value: 'yes|no', about: 'only runs that a retry goes on from, or only the others' },
  like: { value: 'run', about: 'only runs that failed for the cause that this run failed for (its id)' },
  server: { value: 'server', about: 'only runs of workflows that use this server' },
  tool: { value: 'tool', about: 'only runs of workflows that use a tool of this name' },
  effect: { value: 'effect', about: 'only runs of workflows that use a tool with this effect' },
  parent: { value: 'run|none', about: 'only runs that this run started (its id), or that no run started' },
  outcome: { value: 'unknown', about: 'only runs with a call whose outcome is not known' },
} as const satisfies Readonly<Record<string, FilterText>>;

export type RunFilterName = keyof typeof runFilters;

export const runFilterNames = Object.keys(runFilters) as readonly RunFilterName[];
