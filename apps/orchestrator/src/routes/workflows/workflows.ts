/** Routes of workflows: check, deploy, list, remove. */
import {
  type WorkflowInList,
  type AnswerOf,
  type Finding,
  WorkflowNameSchema,
  routes,
  ProblemError,
  instant,
  nameInPath,
} from '@baton/api';
import { type WorkflowDrift, control, type DeployParts, type WorkflowText } from '@baton/control';
import { defined } from '@baton/primitives';
import type { Plans } from '@baton/runner';
import { type Definition, type DeployedVersion, type WorkflowSummary, planOf } from '@baton/store';

import type { App } from '../../http/edge.ts';
import { textOf } from '../../http/json/strictJson.ts';
import { etagOf, replacing } from '../../http/preconditions.ts';
import type { Rates } from '../../http/rates.ts';
import { route, serve, serveList } from '../../http/route.ts';

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
      const asksServers = request.query.servers === true;
      const checked = await control.checkWorkflow(parts, request.principal, { text, asksServers });
      const { calls = [], references = [] } = checked.report ?? {};
      return { findings: [...checked.findings], calls: [...calls], references: [...references] };
    });
    route(text, routes.deployWorkflow, async (request, reply) => {
      const { principal, headers } = request;
      const text = bodyText(request.body);
      await rates.checkWorkflow(request);
      const { isNew, findings, schedules, ...deployed } = await replacing(headers, (mayReplace) =>
        control.deployWorkflow(parts, principal, { ...text, mayReplace }),
      );
      return reply
        .code(isNew ? 201 : 200)
        .header('location', `/v1/workflows/${nameInPath(deployed.id)}`)
        .header('etag', etagOf(deployed.version))
        .send({ ...deployed, findings: [...findings], schedules: [...schedules] });
    });
  });
}

function bodyText(body: unknown): WorkflowText {
  if (body !== undefined) return body as WorkflowText;
  throw new ProblemError(
    'malformed-request',
    'A body is required: the workflow, as application/yaml or application/json.',
  );
}

function readingRoutes(app: App, options: WorkflowOptions): void {
  const isPlace = (text: string): boolean => WorkflowNameSchema.safeParse(text).success;
  serveList(app, control.listWorkflows, options, { list: 'workflows', isPlace, shown: shownSummary });
  serve(app, control.getWorkflow, options, {
    input: ({ params }) => params,
    answer: async ({ newest, shown }, reply) => {
      reply.header('etag', etagOf(newest.version));
      return { ...shownSummary(newest), ...(await shownVersion(shown)) };
    },
  });
  serve(app, control.getWorkflowVersion, options, {
    input: ({ params }) => params,
    answer: async (shown) => ({
      id: shown.workflow,
      version: shown.version,
      deployedAt: instant(shown.deployedAt),
      ...(await shownVersion(shown)),
    }),
  });
}

function shownSummary(workflow: WorkflowSummary & { readonly drift?: WorkflowDrift | undefined }): WorkflowInList {
  const { id, version, title, description, createdAt, deployedAt, paused, drift } = workflow;
  return {
    id,
    version,
    ...defined({ title, description }),
    createdAt: instant(createdAt),
    deployedAt: instant(deployedAt),
    ...(paused === undefined ? {} : { pausedAt: instant(paused.at), pausedBy: paused.by }),
    ...(drift && { drift: { servers: [...drift.servers], ...(drift.blockedBy.length > 0 && { blocked: true }) } }),
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
