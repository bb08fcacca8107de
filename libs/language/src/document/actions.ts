/** Schemas of the acting verbs, besides the keys that all steps share. */
import * as z from 'zod';

import { ChildWorkflow, PromptTarget, Server, SignalName, ToolTarget } from './nameForms.ts';
import { Budget, Retry, Timeout, WaitDuration } from './policies.ts';
import { oneByKey, shape } from './shape.ts';
import { AnyValue, computedOr, Condition, SchemaMap, Text, ValueMap } from './values.ts';

const With = z
  .union([ValueMap, z.string().regex(/\$\{\{/, { error: 'computed' })])
  .meta({ description: 'The arguments. Texts may hold `${{ … }}`.', offers: 'arguments' });

const call = { with: With.optional(), timeout: Timeout.optional(), retry: Retry.optional() };

export const toolFields = {
  tool: ToolTarget,
  ...call,
  effect: z
    .enum(['read', 'idempotent', 'write'])
    .optional()
    .meta({ description: 'What repeating the call would do; decides over the server’s annotations.' }),
  key: Text.optional().meta({ description: 'Sent as the idempotency key.' }),
  ifUnknown: z
    .enum(['fail', 'retry', 'ask', 'check'])
    .optional()
    .meta({ description: 'When a `write` was sent and its answer is lost.' }),
  failIf: Condition.optional().meta({
    description: 'Bare CEL; `result` is what the tool answered. Where it is true the step fails with `tool-failed`.',
  }),
};

export const promptFields = { prompt: PromptTarget, ...call };

export const resourceFields = {
  resource: Server.meta({ description: 'The server that has the resource.' }),
  uri: Text.meta({
    description: 'The resource’s URI; may be an RFC 6570 template, filled from `with`.',
    offers: 'uri',
  }),
  ...call,
};

const Message = shape('message', {
  role: z.enum(['user', 'assistant']),
  content: z.union([Text, ValueMap, z.array(ValueMap)]),
});

const Preferences = shape('modelPreferences', {
  hints: z.array(shape('modelHint', { name: Text.optional() })).optional(),
  costPriority: z.number().min(0).max(1).optional(),
  speedPriority: z.number().min(0).max(1).optional(),
  intelligencePriority: z.number().min(0).max(1).optional(),
});

export const Sample = shape('sample', {
  messages: z
    .union([z.array(Message), z.string().regex(/\$\{\{/, { error: 'computed' })])
    .optional()
    .meta({ description: 'The conversation so far: the messages of a prompt, or your own.' }),
  append: Text.optional().meta({ description: 'One more message of the user, at the end.' }),
  systemPrompt: Text.optional(),
  maxTokens: computedOr(z.int().positive()).optional().meta({ description: 'Default 1024.' }),
  temperature: computedOr(z.number().min(0).max(2)).optional(),
  stopSequences: z.array(Text).optional(),
  modelPreferences: Preferences.optional(),
  includeContext: z.enum(['none', 'thisServer', 'allServers']).optional(),
  metadata: ValueMap.optional(),
  output: SchemaMap.optional().meta({ description: 'The type of the answer: JSON Schema, or properties alone.' }),
  via: z.enum(['provider', 'caller']).optional().meta({
    description: 'Who answers: the configured providers (default), or the MCP client that called the workflow.',
  }),
}).meta({ description: 'A question to a model: the fields of MCP’s CreateMessageRequest.' });

export const sampleFields = {
  sample: Sample,
  timeout: Timeout.optional(),
  retry: Retry.optional(),
  budget: Budget.optional(),
};

export const askFields = {
  ask: Text.meta({ description: 'The question.' }),
  form: SchemaMap.optional().meta({ description: 'What an answer holds. Default: `approve`, a boolean.' }),
  expires: WaitDuration.optional().meta({ description: 'How long the question stands.' }),
  onExpire: AnyValue.optional().meta({
    description: 'The answer that is taken then; absent: the step fails.',
    offers: 'answer',
  }),
};

export const WaitUntil = shape('waitUntil', {
  until: Text.meta({ description: 'An instant, as in 2026-11-30T06:00:00Z.' }),
});

export const WaitSignal = shape('waitSignal', {
  signal: SignalName,
  match: Condition.optional().meta({ description: 'Bare CEL; `signal` is the payload.' }),
  timeout: WaitDuration.optional().meta({ description: 'How long to wait; then the step fails.' }),
});

const Wait = z.union([
  WaitDuration,
  oneByKey<z.infer<typeof WaitUntil> | z.infer<typeof WaitSignal>>(
    'wait',
    () => ({ until: WaitUntil, signal: WaitSignal }),
    ['waitUntil', 'waitSignal'],
  ),
]);

export const waitFields = {
  wait: Wait.meta({ description: 'A duration, `{ until }`, or `{ signal, match, timeout }`.' }),
};

export const setFields = { set: ValueMap.meta({ description: 'Names for values.' }) };

export const stateFields = {
  state: ValueMap.meta({
    description: 'Values to remember for the next runs, by the keys that `state:` at the top declares.',
    offers: 'state',
  }),
  ifUnchanged: z
    .boolean()
    .optional()
    .meta({ description: '`true`: fail with `state-changed` if another run wrote one of the keys meanwhile.' }),
};

export const workflowFields = {
  workflow: ChildWorkflow,
  with: With.optional(),
  await: z.boolean().optional().meta({ description: '`false`: go on at once; the child run outlives this one.' }),
};
