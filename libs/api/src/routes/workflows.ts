import * as z from 'zod';

import { route } from '../route.ts';
import { HookFilterSchema, HookSchema } from '../schemas/hook.ts';
import { ConditionsSchema, PageQuerySchema } from '../schemas/parameters.ts';
import { WorkflowStatsSchema } from '../schemas/run.ts';
import { pageOf } from '../schemas/values.ts';
import {
  ByVersionSchema,
  ByWorkflowSchema,
  CheckQuerySchema,
  CheckResultSchema,
  DeployedSchema,
  WorkflowInListSchema,
  WorkflowSchema,
  WorkflowVersionSchema,
} from '../schemas/workflow.ts';
import type { Access } from '../scopes.ts';

const tag = 'Workflows';
const reading = ['runs:read', 'runs:write', 'workflows:write'] as const satisfies Access;
const writing = ['workflows:write'] as const satisfies Access;

const text = {
  description: 'The workflow.',
  types: { 'application/yaml': { type: 'string' }, 'application/json': { type: 'object' } },
};

export const workflowRoutes = {
  checkWorkflow: route('checkWorkflow', {
    tag,
    summary: 'Check a workflow',
    access: reading,
    query: CheckQuerySchema,
    text,
    answers: { 200: CheckResultSchema },
  }),
  deployWorkflow: route('deployWorkflow', {
    tag,
    summary: 'Deploy a workflow',
    description: 'Creates the next version, unless the content equals the newest version.',
    access: writing,
    headers: ConditionsSchema,
    text,
    answers: { 200: DeployedSchema, 201: DeployedSchema },
  }),
  listWorkflows: route('listWorkflows', {
    tag,
    summary: 'List workflows',
    description: 'Ordered by name.',
    access: reading,
    query: PageQuerySchema,
    answers: { 200: pageOf(WorkflowInListSchema) },
  }),
  getWorkflow: route('getWorkflow', {
    tag,
    summary: 'Show the newest version of a workflow',
    access: reading,
    params: ByWorkflowSchema,
    answers: { 200: WorkflowSchema },
  }),
  getWorkflowVersion: route('getWorkflowVersion', {
    tag,
    summary: 'Show one version of a workflow',
    description: 'Also works for deleted workflows.',
    access: reading,
    params: ByVersionSchema,
    answers: { 200: WorkflowVersionSchema },
  }),
  deleteWorkflow: route('deleteWorkflow', {
    tag,
    summary: 'Delete a workflow',
    description: 'It can no longer be started. Started runs continue, and its versions are kept.',
    access: writing,
    params: ByWorkflowSchema,
    headers: ConditionsSchema,
    answers: { 204: z.null() },
  }),
  getWorkflowStats: route('getWorkflowStats', {
    tag,
    summary: 'Show statistics of a workflow’s last 50 runs',
    access: ['runs:read', 'runs:write'],
    params: ByWorkflowSchema,
    answers: { 200: WorkflowStatsSchema },
  }),
  pauseWorkflow: route('pauseWorkflow', {
    tag,
    summary: 'Pause a workflow',
    description:
      'No schedule, webhook, resource, device or MCP client starts it until it is resumed. Its runs continue, and it can still be started through the API.',
    access: ['workflows:write', 'runs:write'],
    params: ByWorkflowSchema,
    answers: { 200: WorkflowInListSchema },
  }),
  resumeWorkflow: route('resumeWorkflow', {
    tag,
    summary: 'Resume a paused workflow',
    access: ['workflows:write', 'runs:write'],
    params: ByWorkflowSchema,
    answers: { 200: WorkflowInListSchema },
  }),
  getWorkflowSchema: route('getWorkflowSchema', {
    tag,
    summary: 'Show the JSON Schema of workflow files, for editors',
    access: 'public',
    answers: {
      200: { description: 'The schema.', content: { 'application/schema+json': { schema: z.looseObject({}) } } },
    },
  }),
};

export const hookRoutes = {
  listHooks: route('listHooks', {
    tag: 'Workflows',
    summary: 'List webhooks and their last deliveries',
    description: 'Of the newest version of each workflow. Bodies of deliveries are not kept.',
    access: ['runs:read', 'runs:write', 'workflows:write'],
    query: HookFilterSchema,
    answers: { 200: pageOf(HookSchema) },
  }),
};
