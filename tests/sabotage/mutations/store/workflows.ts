import type { Mutation } from '../../mutation.ts';

export const workflowsMutations: readonly Mutation[] = [
  {
    safeguard: 'a tool name belongs to one workflow',
    file: 'libs/store/src/workflows/toolNames.ts',
    find: 'if (owner !== null) throw',
    replace: 'if (owner?.id === workflow) throw',
    shownBy: ['apps/orchestrator/src/routes/workflows/workflows.int.test.ts'],
  },
  {
    safeguard: 'those who want one tool name at once wait for each other',
    file: 'libs/store/src/workflows/toolNames.ts',
    find: '`select pg_advisory_xact_lock(',
    replace: '`select pg_try_advisory_xact_lock(',
    shownBy: ['apps/orchestrator/src/routes/workflows/workflows.int.test.ts'],
  },
  {
    safeguard: 'of two that have one tool name the elder is called',
    file: 'libs/store/src/workflows/toolNames.ts',
    find: "toolSince: 'asc' as const",
    replace: "toolSince: 'desc' as const",
    shownBy: ['apps/orchestrator/src/routes/mcp/mcp.int.test.ts'],
  },
  {
    safeguard: 'a definition that has not its digest is not handed out',
    file: 'libs/store/src/workflows/definitions.ts',
    find: 'if (digestOfDefinition(row) !== digest)',
    replace: 'if (digestOfDefinition(row) === undefined)',
    shownBy: ['libs/store/src/audit/tamperings.int.test.ts'],
  },
];
