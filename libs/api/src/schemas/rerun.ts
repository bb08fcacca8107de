/** Schemas of retries and reruns: which outcomes the new run keeps, and which calls it repeats. */
import * as z from 'zod';

import { storable } from './parameters.ts';
import { RunStatusSchema, SaidOutcomeSchema } from './run.ts';
import {
  type Exact,
  AnyObjectSchema,
  AnyValueSchema,
  EffectSchema,
  RunIdSchema,
  WantedVersionSchema,
} from './values.ts';

const PreviewSchema = z.boolean().optional().meta({ description: 'Only list the calls that would be repeated.' });

const StepInTreeSchema = storable(z.string().min(1).max(1_000));

export const ToldOutcomeSchema = z
  .strictObject({
    path: StepInTreeSchema.meta({ description: 'As in the preview: `pay`, in a child run `order>pay`.' }),
    happened: z.boolean(),
    output: AnyValueSchema.optional().meta({ description: 'What the call answered, if it happened.' }),
  })
  .meta({
    id: 'ToldOutcome',
    description:
      'What you found out about a call whose answer was lost. One that happened is not made again; one that did not is, and no check looks it up first.',
  });

export const RetryRequestSchema = z
  .strictObject({
    version: WantedVersionSchema,
    preview: PreviewSchema,
    told: z.array(ToldOutcomeSchema).max(100).optional().meta({ description: 'Needs the scope questions:answer.' }),
    retriedAs: RunIdSchema.nullable().optional().meta({
      description:
        'The newest retry that the caller knows of, as a preview says; null: none. If there is a newer one on the same version by now, that one is the answer, and no run is started.',
    }),
  })
  .meta({ id: 'Retry' });

export const RerunRequestSchema = z
  .strictObject({
    from: storable(z.string().min(1).max(1_000)).optional().meta({
      description:
        'Path of the first step to run again. Without it the run starts from the beginning; with `version`, it keeps what both versions agree on.',
    }),
    inputs: AnyObjectSchema.optional().meta({ description: 'Replace the inputs of the run.' }),
    version: WantedVersionSchema,
    preview: PreviewSchema,
  })
  .meta({ id: 'Rerun' });

const RepeatedCallSchema = z
  .strictObject({
    path: z
      .string()
      .meta({ description: 'Of the step; in a child run, behind the path of the step that started it: `pay>charge`.' }),
    verb: z.enum(['tool', 'prompt', 'resource', 'sample', 'state']).meta({
      description: '`state`: a write of what the workflow remembers, over what other runs have written since.',
    }),
    target: z.string().optional(),
    effect: EffectSchema.optional(),
    outcome: z
      .enum(['succeeded', 'failed', 'unknown', 'cancelled'])
      .meta({ description: 'Outcome in the old run; `unknown`: the call may have happened.' }),
    undoEnd: z.enum(['undone', 'failed', 'unknown', 'skipped']).optional().meta({
      description:
        'How the old run undid the call: `failed` and `skipped` left it as it is, of `unknown` nothing is certain. Absent: no undo was begun.',
    }),
    lookup: z
      .strictObject({
        by: z.enum(['check', 'person']),
        target: z.string().optional(),
        happened: z.boolean().optional().meta({ description: 'What the request said of it.' }),
      })
      .optional()
      .meta({
        description:
          'What finds out first whether the call happened: the `check` of the step, with what it calls, or a person who is asked. Only what did not happen is made again.',
      }),
    mayBeTold: z.literal(true).optional().meta({
      description: 'Its answer was lost. `told`, in the request, may say whether it happened.',
    }),
    said: SaidOutcomeSchema.optional(),
    formerly: z.string().optional().meta({
      description:
        'The step of the old run that made the call, if the version of the new run does not have it. `path` is then the step that may repeat it: it calls the same tool, and no outcome is kept for it. `*` stands for any item.',
    }),
    sameArguments: z.boolean().optional().meta({
      description: 'Beside `formerly`: whether both calls have the same arguments; absent where that is not known.',
    }),
  })
  .meta({
    id: 'RepeatedCall',
    description: 'A call of the old run that the new run may repeat.',
  });

export const RerunResultSchema = z
  .strictObject({
    id: RunIdSchema.optional().meta({ description: 'Id of the new run; absent for a preview.' }),
    status: RunStatusSchema.optional(),
    rerunOf: RunIdSchema,
    version: z.int().nullable().meta({ description: 'Version of the new run; null for a workflow given inline.' }),
    newerVersion: z
      .int()
      .optional()
      .meta({ description: 'The newest deployed version, if it is newer than that of the new run.' }),
    retriedAs: RunIdSchema.optional().meta({ description: 'The newest retry of the run before this one.' }),
    retryInstead: RunIdSchema.optional().meta({
      description:
        'Of a child run: the outermost run above it that ended without success. Its retry goes on from this run too; after a retry of this run alone, it would make these calls again.',
    }),
    kept: z.int().meta({ description: 'Number of steps whose outcomes are kept, in child runs too.' }),
    notUndone: z.array(z.string()).optional().meta({
      description:
        'Paths of steps that are kept because their undo failed, or was skipped, in the old run: what they did is still there.',
    }),
    unmatched: z
      .array(z.string())
      .meta({ description: 'Paths of steps of the old run that the version of the new run does not have.' }),
    again: z.array(RepeatedCallSchema).meta({
      description:
        'Calls that the new run may repeat, in its child runs too. Writes that happened, or may have, come first.',
    }),
    unread: z.int().optional().meta({
      description:
        'Child runs and earlier runs that are not kept any more, or too many to be read: `again` lacks their calls.',
    }),
  })
  .meta({ id: 'RerunResult' });

export type RepeatedCall = Exact<z.output<typeof RepeatedCallSchema>>;
export type RerunResult = Exact<z.output<typeof RerunResultSchema>>;
