/** The built-in tools: list and start workflows, and look after runs and what starts them. */
import {
  type Scope,
  EffectSchema,
  RerunRequestSchema,
  RetryRequestSchema,
  ToldOutcomeSchema,
  runStatuses,
} from '@baton/api';
import { checkScopes, control, type GeneralName, may, type Principal } from '@baton/control';
import type { ServerContext, Tool } from '@modelcontextprotocol/server';
import * as z from 'zod';

import { authorPageNames } from '../docs/authorPages.ts';
import type { GeneralAnswer, ObjectAnswers } from '../tools/generalAnswers.ts';
import { type OwnTool, listedTool } from '../tools/listedTool.ts';
import { waitSecondsMax } from './nextForRun.ts';

interface GeneralTool extends OwnTool {
  readonly scopes: readonly Scope[];
}

const Values = z.record(z.string(), z.unknown());
const After = z.string().optional().describe('`after` of the answer before.');

const { path, happened, output } = ToldOutcomeSchema.shape;
const ToldCall = z.strictObject({ path: path.describe(''), happened, output: output.describe('') });

/** What a model reads of two keys that the API explains at length. */
const rerunWords = ({ version, preview }: Pick<typeof RetryRequestSchema.shape, 'version' | 'preview'>) => ({
  version: version.describe(''),
  preview: preview.describe(''),
});

export const generalTools = {
  list_workflows: {
    title: 'List workflows',
    description: 'Lists the workflows that can be started: what each does, its version and inputs.',
    input: z.strictObject({ after: After }),
    isReading: true,
    scopes: control.listWorkflows.route.access,
  },
  get_workflow: {
    title: 'Show a workflow',
    description: 'Returns the text of a workflow: its newest version, or `version`.',
    input: z.strictObject({ workflow: z.string(), version: z.int().min(1).optional() }),
    isReading: true,
    scopes: control.getWorkflow.route.access,
  },
  read_language: {
    title: 'Read the workflow language',
    description: 'Returns the workflow language: read it before you write a workflow. With `page`: that page.',
    input: z.strictObject({ page: z.string().optional().describe(authorPageNames.join(', ')) }),
    isReading: true,
    isText: true,
    scopes: ['workflows:write'],
  },
  run_workflow: {
    title: 'Run a workflow',
    description: 'Starts a run and waits a while for its end. The answer says how to follow one that takes longer.',
    input: z.strictObject({ workflow: z.string(), inputs: Values.default({}) }),
    isReading: false,
    scopes: control.startWorkflow.route.access,
  },
  list_runs: {
    title: 'List runs',
    description:
      'Lists the newest runs first. status failed adds causes; outcome unknown: a call of it may have happened.',
    input: z.strictObject({
      workflow: z.string().optional(),
      status: z.enum(runStatuses).optional(),
      outcome: z.literal('unknown').optional(),
      effect: EffectSchema.optional(),
      limit: z.int().min(1).max(100).default(20),
      after: After,
    }),
    isReading: true,
    scopes: control.listRuns.route.access,
  },
  get_run: {
    title: 'Show a run',
    description: 'Returns status, inputs, outputs, steps and open questions. Large values are cut without `step`.',
    input: z.strictObject({
      id: z.string(),
      step: z.string().optional().describe('Only the step of this path, with those inside.'),
      waitSeconds: z
        .int()
        .min(0)
        .max(waitSecondsMax)
        .default(0)
        .describe('Waits so long, or until the run ends, asks or sleeps.'),
    }),
    isReading: true,
    scopes: control.listRunEvents.route.access,
  },
  cancel_run: {
    title: 'Cancel a run',
    description: 'Cancels a run.',
    input: z.strictObject({ id: z.string(), reason: z.string().max(500).optional() }),
    isReading: false,
    scopes: control.cancelRun.route.access,
  },
  retry_run: {
    title: 'Retry a run',
    description:
      'Continues a failed or cancelled run in a new one, which keeps what is done. `preview` only lists the calls it would repeat.',
    input: z.strictObject({
      id: z.string(),
      ...rerunWords(RetryRequestSchema.shape),
      retriedAs: z.string().nullable().optional().describe('The newest retry, as previewed; null: none.'),
      told: z.array(ToldCall).max(100).optional().describe('Unknown outcomes that a person found out.'),
    }),
    isReading: false,
    scopes: control.retryRun.route.access,
  },
  rerun_run: {
    title: 'Run a finished run again',
    description:
      'Runs a finished run again, all of it or from a step, also with other inputs or another version. `preview` only lists the calls it would repeat.',
    input: z.strictObject({
      id: z.string(),
      ...RerunRequestSchema.shape,
      ...rerunWords(RerunRequestSchema.shape),
      from: RerunRequestSchema.shape.from.describe('Path of the first step.'),
      inputs: RerunRequestSchema.shape.inputs.describe(''),
    }),
    isReading: false,
    scopes: control.rerunRun.route.access,
  },
  undo_run: {
    title: 'Undo a run',
    description: 'Takes back what a finished run wrote, in a new run. `preview` only lists the calls.',
    input: z.strictObject({ id: z.string(), preview: z.boolean().optional() }),
    isReading: false,
    scopes: control.undoRun.route.access,
  },
  answer_question: {
    title: 'Answer a question',
    description: 'Answers a question of a run, in the form that it asks for.',
    input: z.strictObject({ id: z.string(), answer: Values }),
    isReading: false,
    scopes: control.answerQuestion.route.access,
  },
  send_signal: {
    title: 'Send a signal',
    description: 'Sends a signal to a run, which waits for it now or later.',
    input: z.strictObject({ id: z.string(), name: z.string(), payload: z.unknown().optional() }),
    isReading: false,
    scopes: control.signalRun.route.access,
  },
  list_schedules: {
    title: 'List schedules',
    description: 'Lists schedules: their next times, pauses, and why the last was refused.',
    input: z.strictObject({ workflow: z.string().optional(), after: After }),
    isReading: true,
    scopes: control.listSchedules.route.access,
  },
  change_schedule: {
    title: 'Change a schedule',
    description: 'Pauses or resumes a schedule, or triggers it: starts an extra run now.',
    input: z.strictObject({ id: z.string(), action: z.enum(['pause', 'resume', 'trigger']) }),
    isReading: false,
    scopes: control.pauseSchedule.route.access,
  },
  list_webhooks: {
    title: 'List webhooks',
    description: 'Lists webhooks and their latest deliveries.',
    input: z.strictObject({ workflow: z.string().optional() }),
    isReading: true,
    scopes: control.listHooks.route.access,
  },
  test_webhook: {
    title: 'Test a webhook',
    description: 'Delivers a body signed with the stored secret, as the sender would.',
    input: z.strictObject({
      workflow: z.string(),
      hook: z.string(),
      body: z.unknown().describe('JSON, or the text to send.'),
      headers: z.record(z.string(), z.string()).default({}),
      preview: z.boolean().default(false).describe('Starts no run.'),
    }),
    isReading: false,
    scopes: ['runs:write'],
  },
  list_secrets: {
    title: 'List secrets',
    description: 'Lists the names of the stored secrets, and what they are bound to. No tool returns a value.',
    input: z.strictObject({ after: After }),
    isReading: true,
    scopes: ['workflows:write', 'secrets:write', 'secrets:use'],
  },
} as const satisfies Record<GeneralName, GeneralTool>;

/** What the tools do whose answer is an object, each with its parsed input. Rejects with `ProblemError` and `UnavailableError`. */
export type GeneralHandlers<Options> = {
  readonly [Name in Exclude<keyof ObjectAnswers, 'run_workflow'>]: (
    call: { readonly options: Options; readonly principal: Principal; readonly context: ServerContext },
    input: z.output<(typeof generalTools)[Name]['input']>,
  ) => Promise<GeneralAnswer<Name>>;
};

const listed = Object.entries(generalTools).map(([name, own]) => ({
  scopes: own.scopes,
  tool: listedTool(name, own),
}));

/** The tools that the key may call. */
export const generalToolsFor = (principal: Principal): readonly Tool[] =>
  listed.filter(({ scopes }) => may(principal, scopes)).map(({ tool }) => tool);

/** Throws `ProblemError`. */
export const checkScope = (principal: Principal, name: GeneralName): void =>
  checkScopes(principal, generalTools[name].scopes);
