import { route } from '../route.ts';
import { ConditionsSchema, PageQuerySchema } from '../schemas/parameters.ts';
import {
  SetStateSchema,
  StateKeySchema,
  StateValueSchema,
  StateWriteSchema,
  WorkflowStateSchema,
} from '../schemas/state.ts';
import { pageOf } from '../schemas/values.ts';
import { ByWorkflowSchema } from '../schemas/workflow.ts';
import type { Access } from '../scopes.ts';

const tag = 'Workflows';
const reading = ['runs:read', 'runs:write'] as const satisfies Access;

export const stateRoutes = {
  getWorkflowState: route('getWorkflowState', {
    tag,
    summary: 'Show what a workflow remembers between its runs',
    access: reading,
    params: ByWorkflowSchema,
    answers: { 200: WorkflowStateSchema },
  }),
  listStateWrites: route('listStateWrites', {
    tag,
    summary: 'List the newest writes of a key of the state',
    description: 'Newest first. A hundred old values are kept.',
    access: reading,
    params: StateKeySchema,
    query: PageQuerySchema,
    answers: { 200: pageOf(StateWriteSchema) },
  }),
  setWorkflowState: route('setWorkflowState', {
    tag,
    summary: 'Replace a value of the state',
    description: 'Runs that have begun keep what they have read. The `ETag` is the revision of the key.',
    access: ['runs:write'],
    params: StateKeySchema,
    headers: ConditionsSchema,
    body: SetStateSchema,
    answers: { 200: StateValueSchema },
  }),
};
