/**
 * A step as it is written: the keys that all steps share, and those of its verb.
 *
 * These schemas are the single source: the parser, the TypeScript types and the JSON Schema that editors complete from
 * come from here. They only say what is valid; they fill in and rewrite nothing.
 */
import { limits } from '@baton/expressions';
import * as z from 'zod';

import {
  askFields,
  promptFields,
  resourceFields,
  sampleFields,
  setFields,
  stateFields,
  toolFields,
  waitFields,
  workflowFields,
} from './actions.ts';
import { EnsureList } from './ensure.ts';
import { plainlyMeant } from './foreignKeywords.ts';
import { FailureCode, ItemName, StepId } from './nameForms.ts';
import { Budget, StepDuration, WaitDuration } from './policies.ts';
import { keysOf, oneByKey, shape } from './shape.ts';
import { AnyValue, Condition, Text, Title } from './values.ts';

/** Interfaces, so that the types of steps can contain lists of steps. */
export interface StepList extends ReadonlyArray<StepDocument> {}
interface HandlerList extends ReadonlyArray<StepDocument | HandlerDocument> {}

/** A single step; TypeScript cannot resolve the circular type any further. */
export interface LoneStep {
  readonly id?: string | undefined;
}

const Step: z.ZodType<LoneStep> = z.lazy(() => OneStep);
const Steps: z.ZodType<StepList> = z.lazy(() => z.array(OneStep).min(1));
const StepsOrNone: z.ZodType<StepList> = z.lazy(() => z.array(OneStep));
const HandlersOrSteps: z.ZodType<HandlerList> = z.lazy(() => z.array(HandlerOrStep));

export const ErrorHandler = shape('errorHandler', {
  match: z.array(FailureCode).min(1).optional().meta({ description: 'Failure codes; absent: any.' }),
  steps: StepsOrNone.meta({ description: 'Run instead of failing; none: the failure is ignored.' }),
});

export type HandlerDocument = z.infer<typeof ErrorHandler>;

const OnError = z
  .union([z.enum(['fail', 'ignore']), HandlersOrSteps, ErrorHandler])
  .meta({ description: '`fail` (default), `ignore`, a list of steps, or handlers with `match` and `steps`.' });

const every = {
  id: StepId.optional(),
  title: Title.optional().meta({ description: 'What people see.' }),
  if: Condition.optional().meta({ description: 'Bare CEL; the step is skipped unless it is true.' }),
  needs: z
    .array(StepId.meta({ offers: 'sibling' }))
    .optional()
    .meta({ description: 'Inside `parallel`: the siblings that must end first.' }),
  onError: OnError.optional(),
};

const Undo = z
  .union([Steps, Step])
  .meta({ description: 'Takes the step back when the run fails or is cancelled: a step, or several.' });

const DeclaredUndo = z
  .union([z.literal('declared'), Steps, Step])
  .meta({ description: 'As of other steps; `declared`: as the server configuration declares it for the tool.' });

const acting = { ...every, ensure: EnsureList.optional() };
const undoable = { ...acting, undo: Undo.optional() };

const { if: _if, needs: _needs, onError: _onError, ...named } = every;

const happened = { happened: Condition.meta({ description: 'Bare CEL; `result` is what this step found.' }) };
const { tool, with: args, timeout, retry } = toolFields;

export const ToolCheck = shape('toolCheck', { ...named, tool, with: args, timeout, retry, ...happened });
export const ResourceCheck = shape('resourceCheck', { ...named, ...resourceFields, ...happened });

export type CheckDocument = z.infer<typeof ToolCheck> | z.infer<typeof ResourceCheck>;

const Check = oneByKey<CheckDocument>('verb', () => ({ tool: ToolCheck, resource: ResourceCheck }), [
  'toolCheck',
  'resourceCheck',
]);

export const ToolStep = shape('toolStep', {
  ...undoable,
  undo: DeclaredUndo.optional(),
  ...toolFields,
  check: Check.optional().meta({ description: 'Finds out whether a call with an unknown outcome happened.' }),
}).meta({ description: 'Calls a tool.' });
export const PromptStep = shape('promptStep', { ...undoable, ...promptFields }).meta({
  description: 'Fetches a prompt.',
});
export const ResourceStep = shape('resourceStep', { ...undoable, ...resourceFields }).meta({
  description: 'Reads a resource.',
});
export const SampleStep = shape('sampleStep', { ...undoable, ...sampleFields }).meta({ description: 'Asks a model.' });
export const AskStep = shape('askStep', { ...undoable, ...askFields }).meta({
  description: 'Asks a person, and waits.',
});
export const WaitStep = shape('waitStep', { ...undoable, ...waitFields }).meta({
  description: 'Waits for a time or a signal.',
});
export const SetStep = shape('setStep', { ...acting, ...setFields }).meta({ description: 'Names values.' });
export const StateStep = shape('stateStep', { ...acting, ...stateFields }).meta({
  description: 'Remembers values for the next runs.',
});
export const WorkflowStep = shape('workflowStep', {
  ...undoable,
  ...workflowFields,
  timeout: StepDuration.optional(),
  budget: Budget.optional(),
}).meta({ description: 'Runs another workflow, and waits for it unless `await` is false.' });

/** A step that contains steps may have a time limit and a budget for all of them. */
const container = { ...every, timeout: StepDuration.optional(), budget: Budget.optional() };
const maxParallel = z.int().min(1).max(limits.step.maxParallel).optional();

export const ParallelStep = shape('parallelStep', {
  ...container,
  parallel: Steps.meta({ description: 'Start together; `needs` between them makes a graph.' }),
  maxParallel: maxParallel.meta({ description: 'How many at once; default: all.' }),
  until: z.literal('first').optional().meta({ description: '`first`: the first that succeeds ends the others.' }),
}).meta({ description: 'Runs steps side by side.' });

export const GroupStep = shape('stepsStep', {
  ...container,
  undo: Undo.optional(),
  ensure: EnsureList.optional(),
  steps: Steps.meta({ description: 'Top to bottom; seen from outside as if they stood there.' }),
  finally: Steps.optional().meta({ description: 'Run at the end of the group, however it ended.' }),
}).meta({ description: 'A group: steps with one `if`, `onError`, `timeout`, `undo` or `finally`.' });

export const ForEachStep = shape('forEachStep', {
  ...container,
  forEach: z.union([Text, z.array(AnyValue)]).meta({ description: 'The list: `${{ … }}`, or written out.' }),
  as: ItemName.optional().meta({ description: 'The name of the item; default `item`.' }),
  steps: Steps.meta({ description: 'For each item, top to bottom.' }),
  maxParallel: maxParallel.meta({ description: 'How many items at once; default 8.' }),
  onItemError: z
    .enum(['fail', 'collect'])
    .optional()
    .meta({ description: '`fail` (default) ends the step; `collect` puts the error in the item’s place.' }),
  collect: AnyValue.optional().meta({ description: 'The value of an item, once its steps are over.' }),
  distribute: z.boolean().optional().meta({ description: 'Run the items as child runs, on any worker.' }),
}).meta({ description: 'Runs steps for each item of a list.' });

export const WhenCase = shape('whenCase', { when: Condition, steps: StepsOrNone });
export const ElseCase = shape('elseCase', { else: StepsOrNone });

export const SwitchStep = shape('switchStep', {
  ...container,
  switch: z
    .array(
      oneByKey<z.infer<typeof WhenCase> | z.infer<typeof ElseCase>>(
        'case',
        () => ({ when: WhenCase, else: ElseCase }),
        ['whenCase', 'elseCase'],
      ),
    )
    .min(1)
    .meta({ description: 'The first case whose `when` is true; `else` where none is.' }),
}).meta({ description: 'Chooses.' });

export const RepeatStep = shape('repeatStep', {
  ...container,
  repeat: shape('repeat', {
    max: z.int().min(1).max(limits.step.iterations).meta({ description: 'At most so often.' }),
    until: Condition.optional().meta({ description: 'Bare CEL, after each round.' }),
    while: Condition.optional().meta({ description: 'Bare CEL, before each round.' }),
    every: WaitDuration.optional().meta({ description: 'The pause between two rounds.' }),
    steps: Steps.meta({ description: 'One round.' }),
  }).meta({ description: 'At most `max` times, `until` or `while` a condition holds.' }),
}).meta({ description: 'Runs steps again and again.' });

export const FailStep = shape('failStep', {
  ...named,
  if: every.if,
  needs: every.needs,
  fail: Text.meta({ description: 'What went wrong.' }),
  code: FailureCode.optional().meta({ description: 'Default `workflow-failed`.' }),
}).meta({ description: 'Ends the run as failed, undoing.' });

const byVerb = {
  tool: ToolStep,
  prompt: PromptStep,
  resource: ResourceStep,
  sample: SampleStep,
  ask: AskStep,
  wait: WaitStep,
  set: SetStep,
  state: StateStep,
  workflow: WorkflowStep,
  parallel: ParallelStep,
  forEach: ForEachStep,
  switch: SwitchStep,
  repeat: RepeatStep,
  fail: FailStep,
  // Last: `forEach` has a key of this name, too.
  steps: GroupStep,
} as const;

export type StepDocument = z.infer<(typeof byVerb)[VerbName]>;

export type GroupDocument = z.infer<typeof GroupStep>;

export type VerbName = keyof typeof byVerb;

export const verbs = Object.keys(byVerb) as VerbName[];

/** Verbs that are unambiguous everywhere; `steps` is also a key of `forEach`, of cases and of handlers. */
export const plainVerbs = verbs.filter((verb) => verb !== 'steps');

/** Of a step that passed its schema. */
export const isGroup = (step: StepDocument): step is GroupDocument => verbOf(step) === 'steps';

/** The one verb of a step that passed its schema. */
export const verbOf = (step: object): VerbName => verbs.find((verb) => Object.hasOwn(step, verb)) ?? 'set';

export const OneStep = oneByKey<StepDocument>(
  'verb',
  () => byVerb,
  verbs.map((verb) => `${verb}Step`),
  (given, present) => present.filter((verb) => verb !== 'steps' || (present.length === 1 && maybeGroup(given))),
);

/** Beside these keys, `steps` belongs to a loop or to a misspelt verb. */
const loopKeys = new Set(['as', 'collect', 'distribute', 'onItemError', 'max', 'every', 'while', 'maxParallel']);

const groupKeys = new Set(keysOf('stepsStep'));

const maybeGroup = (given: object): boolean =>
  !Object.keys(given).some((key) => loopKeys.has(key) || (!groupKeys.has(key) && isMeantAsVerb(key)));

/** Of a key that may be misspelt, and may be meant as a key of a group, too. */
const isMeantAsVerb = (key: string): boolean =>
  plainVerbs.some((verb) => verb === plainlyMeant(key, [...plainVerbs, ...groupKeys]));

/**
 * A handler has `match`, or `steps` and no verb. `steps` beside keys that only a group may have is a group; `steps`
 * alone means the same as both.
 */
export const isHandler = (value: object): value is HandlerDocument =>
  !plainVerbs.some((verb) => Object.hasOwn(value, verb)) &&
  (Object.hasOwn(value, 'match') ||
    (Object.hasOwn(value, 'steps') && !ofGroupsOnly.some((key) => Object.hasOwn(value, key))));

const ofGroupsOnly = [...groupKeys].filter((key) => key !== 'steps');

const HandlerOrStep = z
  .custom<StepDocument | HandlerDocument>()
  .check((ctx) => {
    const given: unknown = ctx.value;
    const schema = typeof given === 'object' && given !== null && isHandler(given) ? ErrorHandler : OneStep;
    for (const issue of schema.safeParse(given).error?.issues ?? []) ctx.issues.push({ ...issue, input: undefined });
  })
  .meta({ anyOf: [{ $ref: '#/$defs/step' }, { $ref: '#/$defs/errorHandler' }] });

export const StepListSchema = Steps;

export const stepsOf = (steps: StepList | LoneStep): StepList =>
  Array.isArray(steps) ? (steps as StepList) : [steps as StepDocument];
