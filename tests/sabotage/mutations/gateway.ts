import type { Mutation } from '../mutation.ts';

const file = 'apps/orchestrator/src/gateway/equalWrites.ts';
const shownBy = ['apps/orchestrator/src/gateway/equalWrites.test.ts'];

/** At the gateway, the same write again asks first where the first may have happened: decision 14. */
export const gatewayMutations: readonly Mutation[] = [
  {
    safeguard: 'the gateway asks before a write is made again whose outcome is not known',
    file,
    find: "  unknown: 'unknown',",
    replace: "  unknown: 'happened',",
    shownBy,
  },
  {
    safeguard: 'the gateway asks before a write is made again that was cancelled and may have been sent',
    file,
    find: "  cancelled: 'unknown',",
    replace: '  cancelled: undefined,',
    shownBy,
  },
  {
    safeguard: 'the gateway asks before a write is made again that is under way',
    file,
    find: "  if (outcome === 'underWay')",
    replace: "  if (outcome === 'underWay' && path === '')",
    shownBy,
  },
  {
    safeguard: 'the gateway asks before the same write goes out on another connection within a minute',
    file,
    find: 'if (before.connection === connection || ',
    replace: 'if (before.connection !== connection || ',
    shownBy,
  },
  {
    safeguard: 'the gateway asks about a write whose outcome is not known in the next run of its session, too',
    file: 'apps/orchestrator/src/gateway/gatewayCalls.ts',
    find: '(equalWrites(run).get(digestOf(wanted)) ?? past)',
    replace: 'equalWrites(run).get(digestOf(wanted))',
    shownBy,
  },
  {
    safeguard: 'a write that was refused at the gateway before it was made is made when it is called again',
    file: 'apps/orchestrator/src/gateway/sessionCall.ts',
    find: ' && refusal === undefined && !isHeld(path)',
    replace: ' && !isHeld(path)',
    shownBy: ['apps/orchestrator/src/gateway/sessionCall.test.ts'],
  },
  {
    safeguard: 'a call at the gateway whose client left while its server started is not made later',
    file: 'libs/control/src/deploy/catalogueCache.ts',
    find: '...defined({ signal })',
    replace: '...{}',
    shownBy: ['apps/orchestrator/src/gateway/lateServers.int.test.ts'],
  },
  {
    safeguard: 'a caller that waits for a run is answered before the process stops',
    file: 'libs/control/src/live/followRun.ts',
    find: ", watches.untilStop(endAs('late'))]",
    replace: ']',
    shownBy: ['apps/orchestrator/src/mcp/following.test.ts'],
  },
  {
    safeguard: 'a wait for a run ends when its caller has left',
    file: 'libs/control/src/live/followRun.ts',
    find: "signal.addEventListener('abort', leave, { once: true });",
    replace: '',
    shownBy: ['apps/orchestrator/src/gateway/sessionJournals.test.ts'],
  },
  {
    safeguard: 'an MCP session that is in use makes no room for another one',
    file: 'apps/orchestrator/src/mcp/sessions.ts',
    find: '{ openRequests }]) => openRequests === 0',
    replace: '{ openRequests }]) => openRequests >= 0',
    shownBy: ['apps/orchestrator/src/mcp/sessions.int.test.ts'],
  },
  {
    safeguard: 'unused MCP sessions of other keys lock no client out',
    file: 'apps/orchestrator/src/mcp/sessions.ts',
    find: ' && !this.#endUnused([...this.#sessions])) {',
    replace: ') {',
    shownBy: ['apps/orchestrator/src/mcp/sessions.int.test.ts'],
  },
];
