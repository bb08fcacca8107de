import type { Mutation } from '../mutation.ts';

export const ratesMutations: readonly Mutation[] = [
  {
    safeguard: 'rates: a call waits for its turn before its intent',
    file: 'libs/engine/src/decide/begin.ts',
    find: 'd.events.push(hasTurn ? event : inTurn(d, event));',
    replace: 'd.events.push(event);',
    shownBy: ['libs/runner/src/drive/pacedRuns.test.ts'],
  },
  {
    safeguard: 'rates: a server that one process does not try is not paused for all',
    file: 'libs/runner/src/sharing/serverRates.ts',
    find: "code !== 'server-overloaded' || ",
    replace: '',
    shownBy: ['libs/runner/src/drive/pacedRuns.test.ts'],
  },
  {
    safeguard: 'rates: calls that come late make no burst',
    file: 'libs/transports/src/server/server.ts',
    find: '      await context.awaitTurn?.();\n',
    replace: '',
    shownBy: ['libs/transports/src/server/calls.int.test.ts'],
  },
  {
    safeguard: 'rates: what cannot be counted is not sent',
    file: 'libs/runner/src/sharing/serverRates.ts',
    find: 'if (turn === undefined || !turn.isTaken) return false;',
    replace: 'if (turn?.isTaken === false) return false;\n    if (turn === undefined) return true;',
    shownBy: ['libs/runner/src/sharing/serverRates.test.ts'],
  },
  {
    safeguard: 'rates: a turn that is taken is not given to another process (Redis)',
    file: 'libs/queue/src/redisMeters.ts',
    find: "redis.call('SET', KEYS[1], string.format('%.3f', full + every)",
    replace: "redis.call('SET', KEYS[1], string.format('%.3f', full)",
    shownBy: ['libs/queue/src/redisMeters.int.test.ts'],
  },
  {
    safeguard: 'rates: what a server says with Retry-After is told to the other processes',
    file: 'libs/runner/src/sharing/serverRates.ts',
    find: "    channels.send('paused', JSON.stringify([server, String(retryAfterMs)]));",
    replace: '    void channels;',
    shownBy: ['libs/runner/src/sharing/serverRates.test.ts'],
  },
  {
    safeguard: 'rates: a run takes no second turn after an append that was lost',
    file: 'libs/runner/src/drive/driver.ts',
    find: '    this.#calls.turns.restore();',
    replace: '',
    shownBy: ['libs/runner/src/drive/pacedRuns.test.ts'],
  },
  {
    safeguard: 'rates: lining up again uses no turn',
    file: 'libs/runner/src/call/heldTurns.ts',
    find: ' || isLiningUp(event)) continue;',
    replace: ' || !isLiningUp) continue;',
    shownBy: ['libs/runner/src/drive/pacedRuns.test.ts'],
  },
  {
    safeguard: 'rates: a call that missed its turn is paid once',
    file: 'libs/engine/src/state/spent.ts',
    find: "return event.missedTurn && event.verb === 'tool' ? { toolCalls: -1, tokens: 0, usd: 0 } : undefined;",
    replace: 'return undefined;',
    shownBy: ['libs/store/src/audit/missedTurn.int.test.ts'],
  },
  {
    safeguard: 'rates: a call that missed its turn is audited once',
    file: 'libs/store/src/audit/listCalls.ts',
    find: ' || missed.delete(keyOf(row.runId, event))',
    replace: '',
    shownBy: ['libs/store/src/audit/missedTurn.int.test.ts'],
  },
];
