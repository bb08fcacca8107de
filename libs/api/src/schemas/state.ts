/** Schemas of what workflows remember between their runs. */
import * as z from 'zod';

import {
  type Exact,
  AnyValueSchema,
  InstantSchema,
  JsonSchemaSchema,
  RunIdSchema,
  WorkflowNameSchema,
} from './values.ts';

const value = AnyValueSchema.optional().meta({ description: 'Absent: the key does not show values of runs.' });

const written = {
  at: InstantSchema,
  by: z.string().meta({ description: 'Who asked for the run, or the key or trigger that wrote.' }),
  runId: RunIdSchema.optional().meta({ description: 'Absent: no run wrote it.' }),
};

export const StateValueSchema = z
  .strictObject({
    key: z.string(),
    value,
    revision: z.int().meta({ description: 'Counts the writes of the key; 0: none, and the value is the default.' }),
    type: JsonSchemaSchema.optional().meta({ description: 'As the newest version declares it; absent: it does not.' }),
    fits: z.boolean().meta({ description: 'False: the value does not fit its type, and each run fails.' }),
    written: z.strictObject(written).optional().meta({ description: 'The newest write; absent: there is none.' }),
  })
  .meta({ id: 'StateValue' });

export type StateValue = Exact<z.output<typeof StateValueSchema>>;

export const WorkflowStateSchema = z
  .strictObject({ workflow: WorkflowNameSchema, values: z.array(StateValueSchema) })
  .meta({ id: 'WorkflowState' });

export const StateWriteSchema = z
  .strictObject({ revision: z.int(), value, ...written })
  .meta({ id: 'StateWrite', description: 'One write of a key.' });

export type StateWrite = Exact<z.output<typeof StateWriteSchema>>;

export const StateKeySchema = z.strictObject({ id: z.string(), key: z.string() });

export const SetStateSchema = z.strictObject({ value: AnyValueSchema }).meta({ id: 'SetState' });
