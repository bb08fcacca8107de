import type { Mutation } from '../mutation.ts';

/** Arguments are compared with the schema of the callee before a call is made. */
export const argumentMutations: readonly Mutation[] = [
  {
    safeguard: 'arguments: what does not fit the pinned schema gets no intent',
    file: 'libs/engine/src/decide/begin.ts',
    find: 'if (unfit === undefined) return',
    replace: 'if (unfit === undefined || true) return',
    shownBy: ['libs/engine/src/invalidArguments.test.ts'],
  },
  {
    safeguard: 'arguments: the mask of a secret is not taken for the secret',
    file: 'libs/engine/src/decide/argumentsFailure.ts',
    find: 'isMasked ? secrets.map(maskOf) : []',
    replace: '[]',
    shownBy: ['libs/engine/src/invalidArguments.test.ts'],
  },
  {
    safeguard: 'arguments: a revealed secret that does not fit is not sent',
    file: 'libs/runner/src/call/performCall.ts',
    find: '  if (unfit !== undefined) throw unfit;\n',
    replace: '',
    shownBy: ['libs/runner/src/call/performCall.test.ts'],
  },
  {
    safeguard: 'arguments: those of a tool without a pin are compared with what the server lists',
    file: 'libs/transports/src/server/toolCall.ts',
    find: '  if (unfit !== undefined) throw unfit;\n',
    replace: '',
    shownBy: ['libs/transports/src/server/calls.int.test.ts'],
  },
  {
    safeguard: 'arguments: those of a prompt are compared with what the server lists',
    file: 'libs/transports/src/server/calls.ts',
    find: '  if (unfit !== undefined) throw unfit;\n',
    replace: '',
    shownBy: ['libs/transports/src/server/calls.int.test.ts'],
  },
  {
    safeguard: 'arguments: a call at the gateway that does not fit is recorded and not made',
    file: 'libs/engine/src/state/sessionSteps.ts',
    find: 'if (refusal !== undefined) return',
    replace: 'if (refusal !== undefined && false) return',
    shownBy: ['libs/engine/src/decide/decideSession.test.ts'],
  },
  {
    safeguard: 'arguments: the gateway compares them with the tool that its client sees',
    file: 'apps/orchestrator/src/gateway/gatewayServer.ts',
    find: 'tool.inputSchema, given)?.failure;',
    replace: 'true, given)?.failure;',
    shownBy: ['tests/gateway.test.ts'],
  },
  {
    safeguard: 'arguments: check warns of a value that can be null where the argument takes none',
    file: 'libs/language/src/fit/unfitNull.ts',
    find: "types.nothing, schema) === 'contradiction'",
    replace: "types.nothing, schema) === 'proved'",
    shownBy: ['libs/language/src/corpus.test.ts'],
  },
];
