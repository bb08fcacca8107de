/** Schemas of an undo: the calls that take back what a run wrote, and what stays. */
import * as z from 'zod';

import { RunStatusSchema } from './run.ts';
import { type Exact, AnyObjectSchema, RunIdSchema } from './values.ts';

export const UndoRequestSchema = z
  .strictObject({
    preview: z.boolean().optional().meta({ description: 'Only list the calls; start no run.' }),
  })
  .meta({ id: 'Undo' });

const path = z.string().meta({ description: 'Path of the step that wrote.' });
const target = z
  .string()
  .meta({ description: 'The tool that wrote: `server/tool`; `state.count` where a step wrote state.' });
const outcome = z
  .enum(['succeeded', 'unknown'])
  .meta({ description: 'Outcome of the write; `unknown`: it may have happened.' });

const UndoCallSchema = z
  .strictObject({
    path,
    target,
    outcome,
    call: z.string().meta({ description: 'The tool that takes it back: `server/tool`.' }),
    arguments: AnyObjectSchema.optional().meta({
      description: 'What that tool is called with; absent where it follows from what the check finds.',
    }),
    check: z.strictObject({ call: z.string(), arguments: AnyObjectSchema }).optional().meta({
      description: 'Of an unknown write: the call that finds out whether it happened. It is undone only if it did.',
    }),
  })
  .meta({ id: 'UndoCall', description: 'A call that takes a write back.' });

const LeftWriteSchema = z
  .strictObject({ path, target, outcome, why: z.string() })
  .meta({ id: 'LeftWrite', description: 'A write that is not taken back, and why.' });

export const UndoResultSchema = z
  .strictObject({
    id: RunIdSchema.optional().meta({
      description: 'Id of the run that undoes it; absent for a preview of a run that was not undone.',
    }),
    status: RunStatusSchema.optional().meta({ description: 'Present where the run was started now.' }),
    undoOf: RunIdSchema,
    calls: z
      .array(UndoCallSchema)
      .meta({ description: 'In the order in which they are made: the last write comes first.' }),
    left: z.array(LeftWriteSchema),
    children: z.array(z.strictObject({ path, id: RunIdSchema })).meta({
      description: 'Child runs: what they wrote is undone by an undo of each.',
    }),
    keptFrom: RunIdSchema.optional().meta({
      description:
        'The run before it, where this one kept outcomes of its writes: they stay, until that run is undone.',
    }),
    retriedAs: RunIdSchema.optional().meta({
      description: 'The newest retry, which keeps what this run wrote: undo that one first.',
    }),
  })
  .meta({ id: 'UndoResult' });

export type UndoCall = Exact<z.output<typeof UndoCallSchema>>;
export type LeftWrite = Exact<z.output<typeof LeftWriteSchema>>;
export type UndoResult = Exact<z.output<typeof UndoResultSchema>>;
