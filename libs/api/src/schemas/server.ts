/** Schemas of configured MCP servers, their tools, prompts and resources. */
import * as z from 'zod';

import {
  type Exact,
  JsonSchemaSchema,
  AnyValueSchema,
  EffectSchema,
  InstantSchema,
  pageOf,
  WorkflowNameSchema,
} from './values.ts';

const LastErrorSchema = z.strictObject({ at: InstantSchema, code: z.string(), message: z.string() });

/** Name and version that a server claims. Not verified. */
const IntroductionSchema = z
  .looseObject({ name: z.string().optional(), version: z.string().optional() })
  .optional()
  .meta({ description: 'Name and version that the server reports.' });

const ServerSightSchema = z
  .strictObject({
    process: z.string().meta({ description: '`orchestrator`: the one that answers; or the id of a worker.' }),
    state: z.string(),
    sessions: z.strictObject({ open: z.int(), busy: z.int(), opening: z.int(), inFlight: z.int() }),
    waiting: z.int().meta({ description: 'Calls that wait for a session.' }),
    breaker: z.strictObject({
      state: z.enum(['closed', 'open', 'half-open']).meta({ description: '`open`: not called before `until`.' }),
      failures: z.int().meta({ description: 'Failures since the last answer.' }),
      until: InstantSchema.optional(),
    }),
    lastError: LastErrorSchema.optional(),
    stderr: z.string().optional().meta({ description: 'The end of its process’s stderr.' }),
  })
  .meta({ id: 'ServerSight', description: 'The state of a server in one process of Baton.' });

export type ServerSight = Exact<z.output<typeof ServerSightSchema>>;

const ToolStatsSchema = z
  .strictObject({
    tool: z.string().meta({ description: 'Name of a tool or prompt, or address of a resource.' }),
    calls: z.int(),
    p50Ms: z.int().optional().meta({ description: 'Half of the calls that ended took no longer.' }),
    p95Ms: z.int().optional(),
    outcomes: z.record(z.string(), z.int()).meta({ description: 'Number of calls by outcome.' }),
    errors: z.record(z.string(), z.int()).meta({ description: 'Number of failed calls by the code of the failure.' }),
  })
  .meta({ id: 'ToolStats' });

export const ServerStatsSchema = z
  .strictObject({
    name: z.string(),
    processes: z.array(ServerSightSchema),
    calls: z
      .int()
      .meta({ description: 'Number of calls in these statistics: those of the last 200 runs that use the server.' }),
    failed: z.int().optional().meta({ description: 'How many of them failed. Absent before version 0.2.' }),
    p50Ms: z.int().optional().meta({ description: 'Half of the calls that ended took no longer.' }),
    p95Ms: z.int().optional(),
    tools: z.array(ToolStatsSchema),
  })
  .meta({ id: 'ServerStats' });

export type ServerStats = Exact<z.output<typeof ServerStatsSchema>>;

const DriftSchema = z
  .array(
    z.strictObject({
      workflow: WorkflowNameSchema,
      version: z.int().meta({ description: 'The newest version.' }),
      blocked: z.literal(true).optional().meta({ description: 'New runs of the workflow are refused.' }),
    }),
  )
  .optional()
  .meta({
    description:
      'Workflows whose tools of this server have changed since they were checked, as far as this process has read them. `approveServer` lists the changes.',
  });

export const ServerSchema = z
  .strictObject({
    name: z.string(),
    type: z.string(),
    state: z.enum(['disabled', 'idle', 'opening', 'ready', 'failing', 'resting']).meta({
      description:
        'As this process sees it. `idle`: not used yet. `failing`: it could not be opened. `resting`: it failed so often that Baton pauses before the next try.',
    }),
    protocolVersion: z.string().optional(),
    server: IntroductionSchema,
    allow: z.array(z.string()).optional().meta({
      description: 'The only workflows that it exists for, as names or patterns; absent for all.',
    }),
    ownLogin: z.enum(['absent', 'present']).optional().meta({
      description:
        'Whether the caller has their own login here. Only where people have logins of their own, and for a person who may log in.',
    }),
    lastError: LastErrorSchema.optional(),
    onDisk: z.enum(['added', 'changed', 'removed']).optional().meta({
      description: 'The configuration file has changed since the start: restart Baton to use it.',
    }),
    drift: DriftSchema,
  })
  .meta({ id: 'Server' });

export type Server = Exact<z.output<typeof ServerSchema>>;

const described = { name: z.string(), title: z.string().optional(), description: z.string().optional() };

const DeclaredCallSchema = z.strictObject({
  tool: z.string().meta({ description: 'Of the same server.' }),
  with: z.record(z.string(), AnyValueSchema).optional(),
  timeout: z.string().optional(),
});

const DeclarationSchema = z.strictObject({
  check: DeclaredCallSchema.extend({ happened: z.string(), output: z.string().optional() })
    .optional()
    .meta({ description: 'Finds out whether a call happened whose answer is lost.' }),
  undo: DeclaredCallSchema.optional().meta({ description: 'Takes a call back, where a step says `undo: declared`.' }),
  unusable: z
    .strictObject({ check: z.string().optional(), undo: z.string().optional() })
    .optional()
    .meta({ description: 'Why a part is declared and cannot be used, as sentences.' }),
});

const ToolSchema = z
  .strictObject({
    ...described,
    effect: EffectSchema,
    effectFrom: z.string().meta({
      description: 'Where the effect comes from: the configuration, the server’s annotations, or the default.',
    }),
    inputSchema: JsonSchemaSchema,
    outputSchema: JsonSchemaSchema.optional(),
    annotations: AnyValueSchema.optional(),
    declared: DeclarationSchema.optional().meta({
      description: 'What the server configuration declares for the calls of the tool.',
    }),
    digests: AnyValueSchema.meta({ description: 'Digests of its contract and its text; they change with the tool.' }),
  })
  .meta({ id: 'Tool' });

const EventTypeSchema = z
  .strictObject({
    ...described,
    delivery: z.array(z.string()),
    inputSchema: JsonSchemaSchema,
    payloadSchema: JsonSchemaSchema,
  })
  .meta({ id: 'EventType' });

export const ToolsSchema = pageOf(ToolSchema).extend({
  events: z
    .array(EventTypeSchema)
    .optional()
    .meta({ description: 'What triggers on events can name (SEP-3415); absent: the server has no events.' }),
  leftOut: z
    .array(z.strictObject({ name: z.string(), why: z.string() }))
    .optional()
    .meta({ description: 'Tools and prompts that the server lists and Baton cannot use, with the reasons.' }),
});

export type Tool = Exact<z.output<typeof ToolSchema>>;

export const PromptSchema = z.strictObject({ ...described, arguments: z.array(AnyValueSchema) }).meta({ id: 'Prompt' });

export const ResourceSchema = z
  .strictObject({
    ...described,
    uri: z.string().optional(),
    uriTemplate: z.string().optional(),
    mimeType: z.string().optional(),
  })
  .meta({ id: 'Resource', description: 'A resource has `uri`, a template has `uriTemplate`.' });

export const TestedServerSchema = z
  .strictObject({
    name: z.string(),
    protocolVersion: z.string(),
    server: IntroductionSchema,
    tools: z.int(),
    prompts: z.int(),
    resources: z.int().meta({ description: 'Includes resource templates.' }),
    problems: z.array(z.string()).meta({ description: 'Parts that cannot be used, and why.' }),
    drift: DriftSchema,
  })
  .meta({ id: 'TestedServer' });

export type TestedServer = Exact<z.output<typeof TestedServerSchema>>;

export const ServerLoginSchema = z
  .union([
    z.strictObject({ url: z.url().meta({ description: 'Address to open in a browser.' }) }),
    z.strictObject({ status: z.literal('connected').meta({ description: 'No login is needed.' }) }),
  ])
  .meta({ id: 'ServerLogin' });

export type ServerLogin = z.output<typeof ServerLoginSchema>;

export const AwaitedLoginSchema = z
  .strictObject({
    server: z.string(),
    person: z.string().meta({ description: 'Whose login it is: the id of `person` in the first event of the runs.' }),
    runs: z.int().meta({ description: 'Unfinished runs that wait for it.' }),
    since: InstantSchema.meta({ description: 'Since when the one that waits longest does.' }),
  })
  .meta({ id: 'AwaitedLogin', description: 'A login at a server, for which runs of the person who asks wait.' });

export type AwaitedLogin = z.output<typeof AwaitedLoginSchema>;

export const ServerLogoutSchema = z
  .strictObject({
    status: z.enum(['logged-out', 'not-logged-in']),
    problem: z
      .string()
      .optional()
      .meta({ description: 'Why the tokens may still be valid. Absent if they were revoked.' }),
  })
  .meta({ id: 'ServerLogout' });

export type ServerLogout = z.output<typeof ServerLogoutSchema>;

export const ApprovalSchema = z
  .strictObject({
    preview: z.boolean().optional().meta({ description: 'Only list the changes.' }),
    digest: z.string().max(64).optional().meta({
      description: 'The digest of the preview that is approved; 409 if the server offers something else now.',
    }),
  })
  .meta({ id: 'Approval' });

const ApprovedWorkflowSchema = z
  .strictObject({
    workflow: WorkflowNameSchema,
    version: z.int().meta({ description: 'The newest version.' }),
    changes: z.array(
      z.strictObject({
        tool: z.string(),
        kind: z
          .enum(['gone', 'contract', 'text'])
          .meta({ description: '`contract`: changes that affect calls. `text`: changes of descriptions only.' }),
        changes: z.array(z.string()),
      }),
    ),
    refused: z.string().optional().meta({ description: 'Why the workflow does not fit the current tools.' }),
  })
  .meta({ id: 'ApprovedWorkflow' });

export const ApprovalsSchema = z
  .strictObject({
    digest: z
      .string()
      .meta({ description: 'Names the changes and the definitions of the tools: an approval sends it.' }),
    data: z.array(ApprovedWorkflowSchema),
  })
  .meta({ id: 'Approvals' });

export type Approvals = Exact<z.output<typeof ApprovalsSchema>>;
