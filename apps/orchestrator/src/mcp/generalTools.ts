/** The built-in tools: list and start workflows, and look after runs. */
import type { Scope } from '@baton/api';
import { ProblemError, RerunRequestSchema, RetryRequestSchema } from '@baton/api';
import type { Tool } from '@modelcontextprotocol/server';
import * as z from 'zod';

import type { Principal } from '../keys/scopes.ts';
import { may } from '../keys/scopes.ts';
import { generalAnswers } from './generalAnswers.ts';
import { waitSecondsMax } from './nextForRun.ts';

interface GeneralTool {
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodType<Record<string, unknown>>;
  readonly isReading: boolean;
  readonly scopes: readonly Scope[];
}

const Values = z.record(z.string(), z.unknown());
const After = z.string().optional().describe('`after` of the answer before.');

export const generalTools = {
  list_workflows: {
    title: 'List workflows',
    description: 'Lists the workflows that can be started, ordered by name: what each does, its version and inputs.',
    input: z.strictObject({ after: After }),
    isReading: true,
    scopes: ['runs:read', 'runs:write', 'workflows:write'],
  },
  get_workflow: {
    title: 'Show a workflow',
    description: 'Returns the text of a deployed workflow, of its newest version or of `version`.',
    input: z.strictObject({ workflow: z.string(), version: z.int().min(1).optional() }),
    isReading: true,
    scopes: ['runs:read', 'runs:write', 'workflows:write'],
  },
  read_language: {
    title: 'Read the workflow language',
    description: 'Returns the workflow language on two pages. Read it before you write or change a workflow.',
    input: z.strictObject({}),
    isReading: true,
    scopes: ['workflows:write'],
  },
  run_workflow: {
    title: 'Run a workflow',
    description:
      'Starts a run and waits for its end for a while. A run that takes longer goes on: the answer says how to follow it.',
    input: z.strictObject({ workflow: z.string(), inputs: Values.default({}) }),
    isReading: false,
    scopes: ['runs:write'],
  },
  list_runs: {
    title: 'List runs',
    description: 'Lists the newest runs first: id, workflow, status, failure.',
    input: z.strictObject({
      workflow: z.string().optional(),
      status: z.enum(['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled']).optional(),
      limit: z.int().min(1).max(100).default(20),
      after: After,
    }),
    isReading: true,
    scopes: ['runs:read', 'runs:write'],
  },
  get_run: {
    title: 'Show a run',
    description:
      'Returns status, inputs, outputs, steps and open questions of a run. Large values are cut, unless `step` names one step.',
    input: z.strictObject({
      id: z.string(),
      step: z.string().optional().describe('Only this step (its `path`) and the steps inside it, with large values.'),
      waitSeconds: z
        .int()
        .min(0)
        .max(waitSecondsMax)
        .default(0)
        .describe('Wait at most so long, until the run ends, asks, or can only wait longer than that.'),
    }),
    isReading: true,
    scopes: ['runs:read', 'runs:write'],
  },
  cancel_run: {
    title: 'Cancel a run',
    description: 'Cancels a run.',
    input: z.strictObject({ id: z.string(), reason: z.string().max(500).optional() }),
    isReading: false,
    scopes: ['runs:write'],
  },
  retry_run: {
    title: 'Retry a run',
    description:
      'Starts a new run that continues where a failed or cancelled run ended: outcomes of finished steps are kept. With `version` it continues with a corrected version of the workflow, and keeps the outcomes that both versions share. `preview` only lists the calls that would be repeated.',
    input: z.strictObject({ id: z.string(), ...RetryRequestSchema.shape }),
    isReading: false,
    scopes: ['runs:write'],
  },
  rerun_run: {
    title: 'Run a finished run again',
    description:
      'Starts a new run like a finished one, from the beginning or from a step, optionally with other inputs or another version. `preview` only lists the calls that would be repeated.',
    input: z.strictObject({ id: z.string(), ...RerunRequestSchema.shape }),
    isReading: false,
    scopes: ['runs:write'],
  },
  answer_question: {
    title: 'Answer a question',
    description: 'Answers a question of a run, in the form that it asks for.',
    input: z.strictObject({ id: z.string(), answer: Values }),
    isReading: false,
    scopes: ['questions:answer'],
  },
} as const satisfies Record<string, GeneralTool>;

export type GeneralName = keyof typeof generalTools;

export const isGeneral = (name: string): name is GeneralName => Object.hasOwn(generalTools, name);

export const generalNames: readonly string[] = Object.keys(generalTools);

const outputSchemas = new Map(
  Object.entries(generalAnswers).map(([name, answer]) => [
    name,
    z.toJSONSchema(answer) as NonNullable<Tool['outputSchema']>,
  ]),
);

const listed = Object.entries(generalTools).map(([name, { title, description, input, isReading, scopes }]) => {
  const outputSchema = outputSchemas.get(name);
  const tool: Tool = {
    name,
    title,
    description,
    inputSchema: z.toJSONSchema(input, { io: 'input' }) as Tool['inputSchema'],
    ...(outputSchema && { outputSchema }),
    // A started or answered run has the effect of its workflow; cancelling one may undo what it did.
    annotations: { title, readOnlyHint: isReading, destructiveHint: !isReading },
  };
  return { scopes, tool };
});

/** The tools that the key may call. */
export const generalToolsFor = (principal: Principal): readonly Tool[] =>
  listed.filter(({ scopes }) => may(principal, scopes)).map(({ tool }) => tool);

/** Throws `ProblemError`. */
export function checkScope(principal: Principal, name: GeneralName): void {
  const { scopes } = generalTools[name];
  if (!may(principal, scopes))
    throw new ProblemError('forbidden', `This needs a key with the scope ${scopes.join(' or ')}.`);
}
