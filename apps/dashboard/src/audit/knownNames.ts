/** The names that the filters of the audit trail suggest. They may be others: a server that was removed has calls still. */
import { type AuditCall, type AuditEntry, callOutcomes, effects } from '@baton/api/client';
import { useMemo } from 'react';

import { useServers, useWorkflows } from '../api/queries.ts';
import { useMay } from '../api/session.ts';

/** By the name of the filter in the address. */
export type KnownNames = Readonly<Record<string, readonly string[]>>;

const distinct = (names: readonly (string | undefined)[]): string[] =>
  [...new Set(names)].filter((name) => name !== undefined).toSorted();

/** Names in these calls, and those of today's servers and workflows where the key may see them. */
export function useNamesOfCalls(newest: readonly AuditCall[] | undefined, server: string | null): KnownNames {
  const { data: servers } = useServers(useMay('servers:read', 'servers:approve', 'workflows:write'));
  const { data: workflows } = useWorkflows(useMay('workflows:write', 'runs:read', 'runs:write'));
  return useMemo(() => {
    const calls = newest ?? [];
    const ofServer = calls.filter((call) => server === null || call.server === server);
    return {
      server: distinct([...(servers ?? []).map(({ name }) => name), ...calls.map((call) => call.server)]),
      tool: distinct(ofServer.map(({ tool }) => tool)),
      workflow: distinct([...(workflows ?? []).map(({ id }) => id), ...calls.map(({ workflow }) => workflow)]),
      by: distinct(calls.map(({ by }) => by)),
      effect: effects,
      outcome: callOutcomes,
    };
  }, [newest, servers, workflows, server]);
}

export const namesOfEntries = (entries: readonly AuditEntry[]): KnownNames => ({
  by: distinct(entries.map(({ by }) => by)),
  target: distinct(entries.map(({ target }) => target)),
});
