/** Workflows: checked, deployed, listed, taken away. */
import type { Definition, DeployedVersion, Store, WorkflowSummary } from '@baton/store';
import { deleteWorkflow, getWorkflow, getWorkflowVersion, listWorkflows, planOf } from '@baton/store';
import * as z from 'zod';

import type { Checker, Standing } from '../deploy/checker.ts';
import { deploy } from '../deploy/deploy.ts';
import type { WorkflowText } from '../deploy/deploy.ts';
import { standingIn } from '../deploy/standing.ts';
import type { Access, App } from '../http/edge.ts';
import { Cursor, Cursors, Flag, Limit, limitUsual } from '../http/parameters.ts';
import { Conditions, etagOf, replacing } from '../http/preconditions.ts';
import { ProblemError } from '../http/problem.ts';
import { textOf } from '../http/strictJson.ts';
import { reaches } from '../keys/reach.ts';
import type { Principal, Scope } from '../keys/scopes.ts';
import { may } from '../keys/scopes.ts';
import { CheckResult } from '../shapes/checkResult.ts';
import { AnyValue, Finding, Instant, instant, pageOf, WorkflowName } from '../shapes/values.ts';

const tags = ['Workflows'];
const reading: Access = ['runs:read', 'runs:write', 'workflows:write'];
const asking: readonly Scope[] = ['workflows:write', 'servers:read'];

const Digest = z.string().meta({ description: 'Of the text and what is relied on of its tools.' });

const Deployed = z
  .strictObject({ id: WorkflowName, version: z.int(), digest: Digest, findings: z.array(Finding) })
  .meta({ id: 'Deployed' });

const summary = {
  id: WorkflowName,
  title: z.string().optional(),
  description: z.string().optional(),
  version: z.int().meta({ description: 'The newest.' }),
  createdAt: Instant,
  deployedAt: Instant,
};

const Summary = z.strictObject(summary).meta({ id: 'WorkflowInList' });

const version = {
  digest: Digest,
  format: z.enum(['yaml', 'json']),
  source: z.string().meta({ description: 'The text as it was deployed.' }),
  inputs: AnyValue.meta({ description: 'JSON Schema of the inputs.' }),
  pins: AnyValue.meta({ description: 'By `server/tool`: effect, who decided it, digests of the definition.' }),
  findings: z.array(Finding),
  deployedBy: z.string(),
};

const Workflow = z.strictObject({ ...summary, ...version }).meta({ id: 'Workflow' });
const { id, deployedAt } = summary;
const Version = z.strictObject({ id, version: z.int(), ...version, deployedAt }).meta({ id: 'WorkflowVersion' });

const ByName = z.strictObject({ id: WorkflowName });
const ByVersion = z.strictObject({
  id: WorkflowName,
  version: z
    .string()
    .regex(/^[1-9]\d{0,9}$/)
    .transform(Number),
});

export interface WorkflowOptions {
  readonly store: Store;
  readonly checker: Checker;
}

export function workflowRoutes(app: App, options: WorkflowOptions): void {
  textRoutes(app, options);
  readingRoutes(app, options);
  app.delete(
    '/v1/workflows/:id',
    {
      config: { access: ['workflows:write'] },
      schema: {
        tags,
        summary: 'Take a workflow away',
        description: 'It can no longer be started. Runs that have begun go on, its versions are kept.',
        params: ByName,
        headers: Conditions,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { principal, headers } = request;
      const { id } = request.params;
      const remove = () => replacing(headers, (may) => deleteWorkflow(options.store, id, principal.by, may));
      const isGone = reaches(principal, id) && (await remove());
      if (!isGone) throw noWorkflow(id);
      return reply.code(204).send(null);
    },
  );
}

const textBody = {
  description: 'The workflow.',
  types: { 'application/yaml': { type: 'string' }, 'application/json': { type: 'object' } },
};

/** Their bodies are taken as text: what is wrong is told with its line, and JSON is read as strictly as YAML. */
function textRoutes(app: App, { store, checker }: WorkflowOptions): void {
  void app.register(async (text: App) => {
    text.removeAllContentTypeParsers();
    const takeAs = (types: readonly string[], format: Definition['format']): void => {
      text.addContentTypeParser([...types], { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => ({
        format,
        text: textOf(body),
      }));
    };
    takeAs(['application/json'], 'json');
    takeAs(['application/yaml', 'application/x-yaml', 'text/yaml', 'text/x-yaml'], 'yaml');
    text.post(
      '/v1/workflows/check',
      {
        config: { access: reading, textBody },
        schema: {
          tags,
          summary: 'Say what is wrong with a workflow',
          querystring: z.strictObject({
            servers: Flag.optional().meta({
              description: 'Also ask the servers that it names; for `workflows:write` or `servers:read`.',
            }),
          }),
          response: { 200: CheckResult },
        },
      },
      async (request) => {
        const { text } = bodyText(request.body);
        const checked = await (request.query.servers === true
          ? checker.checkWithServers(text, standingFor(store, request.principal))
          : checker.checkText(text));
        const { calls = [], references = [] } = checked.report ?? {};
        return { findings: [...checked.findings], calls: [...calls], references: [...references] };
      },
    );
    text.post(
      '/v1/workflows',
      {
        config: { access: ['workflows:write'], textBody },
        schema: {
          tags,
          summary: 'Deploy a workflow',
          description: 'Makes the next version; the content of the newest version again makes none.',
          headers: Conditions,
          response: { 200: Deployed, 201: Deployed },
        },
      },
      async (request, reply) => {
        const { principal, headers } = request;
        const text = bodyText(request.body);
        const { isNew, findings, ...deployed } = await replacing(headers, (mayReplace) =>
          deploy({ store, checker }, text, principal, mayReplace),
        );
        return reply
          .code(isNew ? 201 : 200)
          .header('location', `/v1/workflows/${deployed.id}`)
          .header('etag', etagOf(deployed.version))
          .send({ ...deployed, findings: [...findings] });
      },
    );
  });
}

/** What servers and secrets there are is told by hints. Throws `ProblemError` where that is not for the key. */
function standingFor(store: Store, principal: Principal): Standing {
  if (may(principal, asking)) return standingIn(store, principal);
  throw new ProblemError('forbidden', `Asking servers needs a key with the scope ${asking.join(' or ')}.`);
}

function bodyText(body: unknown): WorkflowText {
  if (body !== undefined) return body as WorkflowText;
  throw new ProblemError(
    'malformed-request',
    'A body is required: the workflow, as application/yaml or application/json.',
  );
}

function readingRoutes(app: App, { store }: WorkflowOptions): void {
  app.get(
    '/v1/workflows',
    {
      config: { access: reading },
      schema: {
        tags,
        summary: 'List workflows',
        description: 'In order of their names.',
        querystring: z.strictObject({ limit: Limit, cursor: Cursor }),
        response: { 200: pageOf(Summary) },
      },
    },
    async ({ query: { limit = limitUsual, cursor }, principal }) => {
      const cursors = new Cursors('workflows', {});
      const after = cursors.read(cursor, (text) => WorkflowName.safeParse(text).success);
      const reached = principal.workflows && { among: [...principal.workflows] };
      const page = { limit, ...(after === undefined ? {} : { after }), ...reached };
      const { workflows, next } = await listWorkflows(store, page);
      const data = workflows.map(shownSummary);
      return next === undefined ? { data } : { data, nextCursor: cursors.write(next) };
    },
  );
  app.get(
    '/v1/workflows/:id',
    {
      config: { access: reading },
      schema: { tags, summary: 'Show a workflow in its newest version', params: ByName, response: { 200: Workflow } },
    },
    async ({ params, principal }, reply) => {
      const workflow = reaches(principal, params.id) ? await getWorkflow(store, params.id) : undefined;
      const newest = workflow && (await getWorkflowVersion(store, params.id, workflow.version));
      if (workflow === undefined || newest === undefined) throw noWorkflow(params.id);
      reply.header('etag', etagOf(workflow.version));
      return { ...shownSummary(workflow), ...(await shownVersion(newest)) };
    },
  );
  app.get(
    '/v1/workflows/:id/versions/:version',
    {
      config: { access: reading },
      schema: {
        tags,
        summary: 'Show one version',
        description: 'Also of a workflow that was taken away since.',
        params: ByVersion,
        response: { 200: Version },
      },
    },
    async ({ params, principal }) => {
      const isTheirs = reaches(principal, params.id);
      const found = isTheirs ? await getWorkflowVersion(store, params.id, params.version) : undefined;
      if (found === undefined)
        throw new ProblemError('not-found', `There is no version ${params.version} of ${params.id}.`);
      return {
        id: found.workflow,
        version: found.version,
        deployedAt: instant(found.deployedAt),
        ...(await shownVersion(found)),
      };
    },
  );
}

const noWorkflow = (id: string): ProblemError => new ProblemError('not-found', `No workflow "${id}" is deployed.`);

function shownSummary({
  title,
  description,
  createdAt,
  deployedAt,
  ...rest
}: WorkflowSummary): z.infer<typeof Summary> {
  return {
    ...rest,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    createdAt: instant(createdAt),
    deployedAt: instant(deployedAt),
  };
}

type ShownVersion = Omit<z.infer<typeof Version>, 'id' | 'version' | 'deployedAt'>;

async function shownVersion({ definition, findings, deployedBy }: DeployedVersion): Promise<ShownVersion> {
  const { digest, format, source, pins } = definition;
  const { inputs } = await planOf(definition);
  return {
    digest,
    format,
    source,
    inputs,
    pins,
    findings: findings as unknown as z.infer<typeof Finding>[],
    deployedBy,
  };
}
