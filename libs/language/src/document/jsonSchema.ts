/** The JSON Schema that editors complete from and check with, generated from the schemas of this folder. */
import type { Json, JsonObject } from '@baton/primitives';
import * as z from 'zod';

import { Sample, WaitSignal, WaitUntil } from './actions.ts';
import { ResourceEnsure, ToolEnsure, WorkflowEnsure } from './ensure.ts';
import { Budget, Defaults, Retry } from './policies.ts';
import * as step from './step.ts';
import * as trigger from './triggers.ts';
import { WorkflowSchema } from './workflow.ts';

const definitions: Readonly<Record<string, z.ZodType>> = {
  step: step.OneStep,
  toolStep: step.ToolStep,
  promptStep: step.PromptStep,
  resourceStep: step.ResourceStep,
  sampleStep: step.SampleStep,
  askStep: step.AskStep,
  waitStep: step.WaitStep,
  setStep: step.SetStep,
  stateStep: step.StateStep,
  workflowStep: step.WorkflowStep,
  parallelStep: step.ParallelStep,
  stepsStep: step.GroupStep,
  forEachStep: step.ForEachStep,
  switchStep: step.SwitchStep,
  repeatStep: step.RepeatStep,
  failStep: step.FailStep,
  toolCheck: step.ToolCheck,
  resourceCheck: step.ResourceCheck,
  toolEnsure: ToolEnsure,
  resourceEnsure: ResourceEnsure,
  workflowEnsure: WorkflowEnsure,
  errorHandler: step.ErrorHandler,
  whenCase: step.WhenCase,
  elseCase: step.ElseCase,
  waitUntil: WaitUntil,
  waitSignal: WaitSignal,
  sample: Sample,
  retry: Retry,
  budget: Budget,
  defaults: Defaults,
  scheduleTrigger: trigger.ScheduleTrigger,
  everyTrigger: trigger.EveryTrigger,
  atTrigger: trigger.AtTrigger,
  webhookTrigger: trigger.WebhookTrigger,
  resourceTrigger: trigger.ResourceTrigger,
  pollTrigger: trigger.PollTrigger,
  eventTrigger: trigger.EventTrigger,
  runTrigger: trigger.RunTrigger,
  toolTrigger: trigger.ToolTrigger,
  deviceTrigger: trigger.DeviceTrigger,
};

const rootName = 'workflow';

/** For editors that know JSON Schema only. */
export const workflowJsonSchema = (): JsonObject => withoutHints(workflowShapes()) as JsonObject;

/** The same, with what the language service reads: `offers` and `choices`. */
export function workflowShapes(): JsonObject {
  const named = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(definitions)) named.add(schema, { id });
  named.add(WorkflowSchema, { id: rootName });
  const { schemas } = z.toJSONSchema(named, {
    uri: (id) => `#/$defs/${id}`,
    io: 'input',
    unrepresentable: 'any',
  });
  const { [rootName]: root, ...rest } = schemas;
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...bare(root),
    $defs: Object.fromEntries(Object.entries(rest).map(([id, schema]) => [id, bare(schema)])),
  };
}

/** Inside `$defs`, a schema needs no address of its own. */
function bare(schema: unknown): JsonObject {
  const { $schema: _schema, $id: _id, ...rest } = schema as JsonObject;
  return rest;
}

/** Our own keywords; neither is the name of a key of the language. */
const hints = new Set(['offers', 'choices']);

function withoutHints(value: Json): Json {
  if (Array.isArray(value)) return value.map((one: Json) => withoutHints(one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => (hints.has(key) ? [] : [[key, withoutHints(one)]])),
  );
}
