/** Routes of workflows: check, deploy, list, remove. */
import {
  type Scope,
  type WorkflowInList,
  type AnswerOf,
  type Finding,
  WorkflowNameSchema,
  routes,
  ProblemError,
  instant,
  limitUsual,
} from '@baton/api';
import {
  control,
  type DeployedWorkflows,
  type DeployParts,
  deploy,
  deployedWorkflowsFor,
  type WorkflowText,
  type Principal,
  may,
} from '@baton/control';
import { defined } from '@baton/primitives';
import type { Plans } from '@baton/runner';
import { type Definition, type DeployedVersion, type WorkflowSummary, planOf } from '@baton/store';

import type { App } from '../../http/edge.ts';
import { textOf } from '../../http/json/strictJson.ts';
import { Cursors } from '../../http/parameters.ts';
import { etagOf, replacing } from '../../http/preconditions.ts';
import type { Rates } from '../../http/rates.ts';
import { route, serve } from '../../http/route.ts';

const asking: readonly Scope[] = ['workflows:write', 'servers:read'];

export interface WorkflowOptions extends DeployParts {
  readonly plans: Plans;
  readonly rates: Pick<Rates, 'checkWorkflow'>;
}

export function workflowRoutes(app: App, options: WorkflowOptions): void {
  textRoutes(app, options);
  readingRoutes(app, options);
  route(app, routes.deleteWorkflow, async ({ principal, headers, params: { id } }, reply) => {
    await replacing(headers, (mayReplace) => control.deleteWorkflow(options, principal, { id, mayReplace }));
    return reply.code(204).send(null);
  });
  serve(app, control.pauseWorkflow, options, { input: ({ params }) => params, answer: shownSummary });
  serve(app, control.resumeWorkflow, options, { input: ({ params }) => params, answer: shownSummary });
}

/** Bodies are parsed as text, so that a mistake is reported with its line, in JSON as in YAML. */
function textRoutes(app: App, { rates, ...parts }: WorkflowOptions): void {
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
    route(text, routes.checkWorkflow, async (request) => {
      const { text } = bodyText(request.body);
      await rates.checkWorkflow(request);
      const checked = await (request.query.servers === true
        ? parts.checker.checkWithServers(text, deployedWorkflowsOf(parts, request.principal))
        : parts.checker.checkText(text));
      const { calls = [], references = [] } = checked.report ?? {};
      return { findings: [...checked.findings], calls: [...calls], references: [...references] };
    });
    route(text, routes.deployWorkflow, async (request, reply) => {
      const { principal, headers } = request;
      const text = bodyText(request.body);
      await rates.checkWorkflow(request);
      const { isNew, findings, schedules, ...deployed } = await replacing(headers, (mayReplace) =>
        deploy(parts, text, principal, { mayReplace }),
      );
      return reply
        .code(isNew ? 201 : 200)
        .header('location', `/v1/workflows/${deployed.id}`)
        .header('etag', etagOf(deployed.version))
        .send({ ...deployed, findings: [...findings], schedules: [...schedules] });
    });
  });
}

/** Hints reveal the names of servers and secrets. Throws `ProblemError` if the key may not see them. */
function deployedWorkflowsOf(parts: DeployParts, principal: Principal): DeployedWorkflows {
  if (may(principal, asking)) return deployedWorkflowsFor(parts, principal);
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
  route(app, routes.listWorkflows, async ({ query: { limit = limitUsual, cursor }, principal }) => {
    const cursors = new Cursors('workflows', {});
    const after = cursors.read(cursor, (text) => WorkflowNameSchema.safeParse(text).success);
    const { workflows, next } = await control.listWorkflows({ store }, principal, { limit, after });
    const data = workflows.map(shownSummary);
    return next === undefined ? { data } : { data, nextCursor: cursors.write(next) };
  });
  serve(
    app,
    control.getWorkflow,
    { store },
    {
      input: ({ params }) => params,
      answer: async ({ newest, shown }, reply) => {
        reply.header('etag', etagOf(newest.version));
        return { ...shownSummary(newest), ...(await shownVersion(shown)) };
      },
    },
  );
  serve(
    app,
    control.getWorkflowVersion,
    { store },
    {
      input: ({ params }) => params,
      answer: async (shown) => ({
        id: shown.workflow,
        version: shown.version,
        deployedAt: instant(shown.deployedAt),
        ...(await shownVersion(shown)),
      }),
    },
  );
}

function shownSummary(workflow: WorkflowSummary): WorkflowInList {
  const { id, version, title, description, createdAt, deployedAt, paused } = workflow;
  return {
    id,
    version,
    ...defined({ title, description }),
    createdAt: instant(createdAt),
    deployedAt: instant(deployedAt),
    ...(paused === undefined ? {} : { pausedAt: instant(paused.at), pausedBy: paused.by }),
  };
}

type VersionAnswer = Omit<AnswerOf<typeof routes.getWorkflowVersion>, 'id' | 'version' | 'deployedAt'>;

async function shownVersion({ definition, findings, deployedBy }: DeployedVersion): Promise<VersionAnswer> {
  const { digest, format, source, pins } = definition;
  const { inputs } = await planOf(definition);
  return {
    digest,
    format,
    source,
    inputs,
    pins,
    findings: findings as unknown as Finding[],
    deployedBy,
  };
}
