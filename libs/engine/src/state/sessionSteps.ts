/** Builds the steps of a call that a client requested: the approval by a person, where one is needed, and the call. */
import type { Expression, Template } from '@baton/expressions';
import {
  type AskStep,
  type Block,
  type CallStep,
  type FailStep,
  type RetryPolicy,
  type ToolStep,
  compileDeclaredCheck,
} from '@baton/language';
import { type JsonObject, defined } from '@baton/primitives';

import type { Failure } from '../failure.ts';
import { argumentsName, type GatewaySession, type SessionCall } from './session.ts';
import type { SessionCheck } from './sessionTarget.ts';

/** How long a person may take to approve a call. */
const approvalMs = 24 * 3_600_000;

/** Retries only failures that may pass at once. Every other failure goes to the client, which decides by itself. */
const retry: RetryPolicy = {
  attempts: 3,
  backoff: 'exponential',
  delayMs: 250,
  maxDelayMs: 2_000,
  jitter: true,
  on: ['server-unreachable', 'session-lost', 'connection-lost'],
};

const once: RetryPolicy = { ...retry, attempts: 1 };

const approvalForm = {
  type: 'object',
  properties: { approve: { type: 'boolean', title: 'Let it be called' } },
  required: ['approve'],
  additionalProperties: false,
} as const;

const approvalSuffix = '.approval';

const blocks = new WeakMap<SessionCall, Block>();

/** Cached by the call: its steps depend on nothing else. */
export function stepsOfCall(call: SessionCall): Block {
  const known = blocks.get(call);
  if (known !== undefined) return known;
  const block = { pointer: '', steps: stepsIn(call) };
  blocks.set(call, block);
  return block;
}

function stepsIn(call: SessionCall): Block['steps'] {
  const { path, approval, refusal } = call;
  if (refusal !== undefined) return [refusalStep(path, refusal)];
  return approval === undefined ? [callStep(call)] : withApproval(call, approval);
}

/** The step with this key among the calls of the session. */
export function sessionStep({ calls }: GatewaySession, key: string): CallStep | AskStep | FailStep | undefined {
  const path = key.endsWith(approvalSuffix) ? key.slice(0, -approvalSuffix.length) : key;
  const call = calls.findLast((one) => one.path === path);
  const step = call && stepsOfCall(call).steps.find((one) => one.key === key);
  return step as CallStep | AskStep | FailStep | undefined;
}

/** The key of the step that asks a person to approve the call at `path`. */
export const approvalKey = (path: string): string => `${path}${approvalSuffix}`;

function withApproval(call: SessionCall, message: string): Block['steps'] {
  const key = approvalKey(call.path);
  const ask: AskStep = {
    ...common(key),
    retry: once,
    verb: 'ask',
    message: constant(message),
    form: approvalForm,
    expiresMs: approvalMs,
  };
  return [ask, { ...callStep(call), if: isApproved(key) }];
}

const refusalStep = (path: string, { code, message }: Failure): FailStep => ({
  ...common(path),
  retry: once,
  verb: 'fail',
  code,
  message: constant(message),
});

function callStep({ path, target }: SessionCall): CallStep {
  const step = { ...common(path), retry, with: given };
  switch (target.verb) {
    case 'tool': {
      const { server, tool, effect, definition, contract, text } = target;
      return {
        ...step,
        verb: 'tool',
        server,
        tool,
        effect,
        toolEffect: effect.effect,
        ...whenUnknown(server, target.check),
        ...defined({ definition }),
        ...(contract === undefined ? {} : { pin: { contract, ...defined({ text }) } }),
      };
    }
    case 'prompt':
      return { ...step, verb: 'prompt', server: target.server, prompt: target.prompt };
    case 'resource':
      return { ...step, verb: 'resource', server: target.server, uri: constant(target.uri) };
  }
}

function whenUnknown(server: string, check: SessionCheck | undefined): Pick<ToolStep, 'ifUnknown' | 'check'> {
  if (check === undefined) return { ifUnknown: 'fail' };
  const { declared, effect, contract } = check;
  const compiled = compileDeclaredCheck(server, declared, {
    effects: () => effect,
    pins: () => (contract === undefined ? undefined : { contract }),
  });
  return { ifUnknown: 'check', check: compiled };
}

const common = (key: string) => ({ key, id: key, pointer: '', timeout: {}, onError: 'fail', needs: [] }) as const;

const nothing = { names: [], steps: [], secrets: [] } as const;

const given: Template<JsonObject> = {
  ...nothing,
  names: [argumentsName],
  pointer: '/with',
  evaluate: (scope) => scope[argumentsName] as JsonObject,
};

const constant = (value: string): Template => ({ ...nothing, pointer: '', constant: { value }, evaluate: () => value });

/** The condition of a call that needs approval: the person approved it. */
function isApproved(key: string): Expression {
  return {
    names: ['steps'],
    steps: [key],
    secrets: [],
    source: `steps["${key}"].output.approve`,
    pointer: '/if',
    evaluate: ({ steps }) => {
      const asked = (steps as Record<string, { output?: { approve?: unknown } } | undefined>)[key];
      return asked?.output?.approve === true;
    },
  };
}
