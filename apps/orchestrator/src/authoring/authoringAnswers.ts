/** Schemas of the answers of the authoring tools. Later versions may add members. */
import type { AuthoringName } from '@baton/control';
import * as z from 'zod';

const text = z.string();
const texts = z.array(text);
const next = text.describe('What to do now.');
const anything = z.unknown();

const failure = z.looseObject({ code: text, message: text, step: text.optional() });
const calls = z.array(
  z.looseObject({
    target: text,
    effect: text.optional(),
    atMost: z.int().optional().describe('How often a run can make this call, retries excluded.'),
  }),
);

const explainRun = {
  run: text,
  workflow: text,
  version: z.int().nullable(),
  status: text,
  step: text.optional().describe('The step that failed.'),
  target: text.optional(),
  arguments: anything.optional().describe('As they were sent.'),
  attempts: z.int().optional().describe('How often the call was made, where it was more than once.'),
  error: failure.optional(),
  fix: text.describe('How to correct it.'),
};

export const authoringAnswers = {
  find_tools: z.looseObject({
    tools: z.array(z.looseObject({ name: text, does: text, effect: text })).optional(),
    unreachable: texts.optional().describe('Servers that do not answer.'),
    name: text.optional(),
    description: text.optional(),
    effect: text.optional(),
    inputSchema: anything.optional(),
    outputSchema: anything.optional(),
    step: anything.optional().describe('An example of a step that calls it.'),
    next,
  }),
  check_workflow: z.looseObject({
    ok: z.boolean(),
    findings: z.array(
      z.looseObject({
        code: text,
        severity: text,
        line: z.int(),
        column: z.int(),
        message: text,
        fix: text.optional(),
      }),
    ),
    calls,
    fixed: text.optional().describe('The text with all certain corrections applied.'),
    next,
  }),
  try_workflow: z.looseObject({
    status: text,
    steps: z.array(
      z.looseObject({
        path: text,
        status: text,
        target: text.optional(),
        with: anything.optional(),
        output: anything.optional(),
        error: text.optional(),
      }),
    ),
    outputs: anything.optional(),
    error: failure.optional(),
    invented: texts.describe('Targets, questions and signals whose answers were generated.'),
    stepsOmitted: z.int().optional().describe('How many other steps there were.'),
    unused: texts.optional().describe('Names in `answers` that nothing asked for.'),
    next,
  }),
  deploy_workflow: z.looseObject({
    armed: z.boolean().describe('Whether it is deployed.'),
    would: z
      .looseObject({
        workflow: text,
        replaces: z.int(),
        calls,
        triggers: texts,
        schedules: texts,
        runsUnderWay: z.int(),
      })
      .optional(),
    warnings: texts.optional(),
    digest: text.optional().describe('Pass this as `confirm`.'),
    workflow: text.optional(),
    version: z.int().optional(),
    schedules: texts.optional().describe('What became of its schedules.'),
    newest: z.int().optional().describe('The newest version: the edit must start from it.'),
    source: text.optional().describe('The source of the newest version.'),
    next,
  }),
  explain_run: z.looseObject({ ...explainRun, next }),
  repair_workflow: z.looseObject({
    ...z.looseObject(explainRun).partial().shape,
    source: text.optional().describe('With the finding as a comment above its step, if a step failed.'),
    line: z.int().optional().describe('Where the comment is.'),
    runs: z
      .array(z.looseObject({ run: text, before: text, now: text, error: failure.optional(), invented: texts }))
      .optional()
      .describe('How runs would have ended with the corrected source.'),
    next,
  }),
  learn_session: z.looseObject({
    source: text,
    inputs: texts,
    leftOut: z.array(z.looseObject({ path: text, why: text })),
    notes: z.array(z.looseObject({ step: text, note: text })),
    questions: z.array(z.looseObject({ id: text, text: text, options: texts })),
    replay: z.looseObject({
      same: z.boolean(),
      differences: z.array(z.looseObject({ path: text, message: text })),
    }),
    errors: texts.optional().describe('Errors of the checker.'),
    next,
  }),
} as const satisfies Record<AuthoringName, z.ZodType>;
