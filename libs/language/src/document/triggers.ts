/** Schemas of triggers: the items of `on`. */
import { limits } from '@baton/expressions';
import * as z from 'zod';

import { toolFields } from './actions.ts';
import { duration } from './duration.ts';
import {
  EventTarget,
  HookName,
  PollName,
  ScheduleName,
  SecretName,
  Server,
  ToolName,
  ToolTarget,
  WorkflowPattern,
} from './nameForms.ts';
import { WaitDuration } from './policies.ts';
import { oneByKey, shape } from './shape.ts';
import { Share } from './share.ts';
import { Condition, Text, ValueMap } from './values.ts';

const inputs = {
  inputs: ValueMap.optional().meta({ description: 'The inputs of the run; `event` is in scope.', offers: 'inputs' }),
};
const filtered = {
  ...inputs,
  if: Condition.optional().meta({ description: 'Bare CEL; the event starts a run only where it is true.' }),
  dedupe: Text.optional().meta({ description: 'Events with the same text start one run.' }),
};

const scheduled = {
  id: ScheduleName.optional(),
  timezone: z.string().optional().meta({ description: 'IANA name; default UTC.', offers: 'timezone' }),
  overlap: z
    .enum(['skip', 'queue', 'replace', 'allow'])
    .optional()
    .meta({ description: 'When the run before is not over; default `skip`.' }),
  catchUp: z
    .enum(['none', 'latest', 'all'])
    .optional()
    .meta({ description: 'Instants that were missed while nothing was running; default `none`, for `at`: `latest`.' }),
  catchUpWindow: duration(1_000, limits.schedule.catchUpMs)
    .optional()
    .meta({ description: 'How far back; default 24h.' }),
  ...inputs,
};

export const ScheduleTrigger = shape('scheduleTrigger', {
  schedule: z
    .string()
    .max(limits.schedule.characters)
    .meta({ description: 'Cron, five or six fields.', offers: 'cron' }),
  ...scheduled,
});

const pointInTime = z.string().max(limits.schedule.characters);

export const EveryTrigger = shape('everyTrigger', {
  every: duration(1_000, limits.schedule.everyMs).meta({
    description: 'Starts a run in each interval.',
    offers: 'interval',
  }),
  from: pointInTime.optional().meta({
    description:
      'The first time, from which the others are counted: RFC 3339, or a local time. Default: all multiples since 1970 in UTC.',
    offers: 'pointInTime',
  }),
  ...scheduled,
});

export const AtTrigger = shape('atTrigger', {
  at: pointInTime.meta({
    description: 'Starts one run at this time: RFC 3339, or a local time.',
    offers: 'pointInTime',
  }),
  ...scheduled,
});

export const WebhookTrigger = shape('webhookTrigger', {
  webhook: HookName,
  secret: SecretName.meta({ description: 'The stored secret that signs the requests.' }),
  scheme: z
    .enum(['standard', 'github', 'gitlab', 'shopify', 'slack', 'stripe'])
    .optional()
    .meta({ description: 'How the request is signed; default `standard`: Standard Webhooks.' }),
  ...filtered,
});

export const ResourceTrigger = shape('resourceTrigger', {
  resource: Server,
  uri: Text.meta({ description: 'The resource whose changes start a run.', offers: 'uri' }),
  debounce: WaitDuration.optional().meta({ description: 'Quiet for so long before the run starts.' }),
  ...filtered,
});

export const PollTrigger = shape('pollTrigger', {
  poll: ToolTarget.meta({
    description: 'Which tool is called again and again, as `server/tool`: a read. Each new item starts a run.',
    offers: 'tool',
  }),
  id: PollName.optional(),
  with: toolFields.with,
  every: duration(limits.poll.everyMsMin, limits.schedule.everyMs)
    .optional()
    .meta({ description: 'The pause between two polls; default 1m.' }),
  items: Text.meta({ description: 'Bare CEL: the list in what the tool answered, `result`.', offers: 'condition' }),
  key: Text.meta({
    description: 'Bare CEL: the text or number by which `item` is the same at the next poll. Each starts one run.',
    offers: 'condition',
  }),
  start: z
    .enum(['now', 'all'])
    .optional()
    .meta({ description: 'Whether what is there at the first poll starts runs: `now` (default), no; `all`, yes.' }),
  batch: z.boolean().optional().meta({ description: 'One run for all new items of a poll, which are `items`.' }),
  keep: duration(limits.poll.keepMsMin, limits.poll.keepMs)
    .optional()
    .meta({ description: 'How long a key is kept after the tool last answered it; default 90d.' }),
  state: ValueMap.optional().meta({
    description:
      'Values to remember for the next poll, as a cursor, by the keys that `state:` at the top declares; `result` is in scope.',
    offers: 'state',
  }),
  inputs: ValueMap.optional().meta({
    description: 'The inputs of the run; `item` and `result` are in scope; with `batch`, `items` and `result`.',
    offers: 'inputs',
  }),
});

export const EventTrigger = shape('eventTrigger', {
  event: EventTarget,
  id: PollName.optional(),
  params: toolFields.with,
  every: duration(limits.poll.everyMsMin, limits.schedule.everyMs)
    .optional()
    .meta({ description: 'The shortest pause between two polls; the server may ask for a longer one. Default 10s.' }),
  onGap: z.enum(['record', 'run']).optional().meta({
    description:
      'What follows where the server has lost events: they are recorded (`record`, default), or also start a run, in which `event.gap` is true.',
  }),
  keep: duration(limits.poll.keepMsMin, limits.poll.keepMs)
    .optional()
    .meta({ description: 'How long the id of an event is kept; default 90d.' }),
  inputs: ValueMap.optional().meta({
    description: 'The inputs of the run; `event`, the payload, is in scope.',
    offers: 'inputs',
  }),
});

export const RunTrigger = shape('runTrigger', {
  run: shape('runTriggerOptions', {
    workflow: WorkflowPattern,
    status: z
      .array(z.enum(['succeeded', 'failed', 'cancelled']))
      .min(1)
      .optional()
      .meta({ description: 'How the run has ended; default `[failed]`.' }),
    after: z
      .int()
      .min(1)
      .max(limits.runTrigger.after)
      .optional()
      .meta({ description: 'Only the run that is so manieth in a row of its workflow; default 1.' }),
    waiting: duration(limits.runTrigger.waitingMsMin, limits.step.waitMs)
      .optional()
      .meta({ description: 'In place of an end: a run that waits for so long.' }),
    budget: Share.optional().meta({
      description: 'In place of an end: a run that has spent so much of a budget of its workflow, as in `80%`.',
    }),
  }).meta({ description: 'A run that ends, waits for long or spends much starts another one.' }),
  ...inputs,
  if: filtered.if,
});

export const ToolTrigger = shape('toolTrigger', {
  tool: shape('toolTriggerOptions', { name: ToolName.optional() }).meta({
    description: 'Offers the workflow as an MCP tool.',
  }),
});

export const DeviceTrigger = shape('deviceTrigger', {
  device: shape('deviceTriggerOptions', {}).meta({
    description: 'A text message of the device protocol starts a run.',
  }),
  ...filtered,
});

const byKind = {
  schedule: ScheduleTrigger,
  every: EveryTrigger,
  at: AtTrigger,
  webhook: WebhookTrigger,
  resource: ResourceTrigger,
  poll: PollTrigger,
  event: EventTrigger,
  run: RunTrigger,
  tool: ToolTrigger,
  device: DeviceTrigger,
} as const;

export type TriggerDocument = z.infer<(typeof byKind)[keyof typeof byKind]>;

/** A trigger whose times come by the clock. */
export type ScheduledDocument = z.infer<typeof ScheduleTrigger | typeof EveryTrigger | typeof AtTrigger>;

export type RunTriggerDocument = z.infer<typeof RunTrigger>;

export type PollDocument = z.infer<typeof PollTrigger>;

export type EventDocument = z.infer<typeof EventTrigger>;

export const isScheduled = (trigger: TriggerDocument): trigger is ScheduledDocument =>
  !('poll' in trigger || 'event' in trigger) && ('schedule' in trigger || 'every' in trigger || 'at' in trigger);

export const Trigger = oneByKey<TriggerDocument>(
  'trigger',
  () => byKind,
  Object.keys(byKind).map((kind) => `${kind}Trigger`),
  // A poll and an event have an `every`, which makes no schedule of them.
  (_, present) =>
    present.includes('poll') || present.includes('event') ? present.filter((key) => key !== 'every') : present,
);
