/** The workflows that are MCP tools (deployed with `on: tool`), and their descriptions. */
import { type Principal, reachOf, strongestEffectOf, withScope } from '@baton/control';
import {
  type Effect,
  type OutputSchema,
  type Plan,
  type ServerOffer,
  type ToolSchemas,
  outputSchemaOf,
  parsing,
  stepsOf,
  splitTarget,
} from '@baton/language';
import { type JsonObject, cachedLoads, defined, isObject } from '@baton/primitives';
import { type Plans, runWithYields } from '@baton/runner';
import { type Pins, type Store, findToolOwner, getDefinition, listWorkflows, toolNameOf } from '@baton/store';
import type { Tool } from '@modelcontextprotocol/server';

/** The maximum of tools in a list: models do not read more. */
const toolsMax = 500;
const pageSize = 200;
const keptMax = 1_000;

/** To call a tool is to start a run. */
const starting = ['runs:write'] as const;

export interface WorkflowTool {
  readonly workflow: string;
  readonly tool: Tool;
}

export class WorkflowTools {
  readonly #store: Store;
  readonly #plans: Plans;
  /** By the digest of the definition; undefined if it is not a tool. */
  /** By the digest of the definition. */
  readonly #offerOf = cachedLoads(keptMax, (definition) => this.#read(definition));

  constructor(store: Store, plans: Plans) {
    this.#store = store;
    this.#plans = plans;
  }

  /**
   * Ordered by workflow; only those that the key may see. Each name appears once, for the workflow that `find` finds.
   * Rejects with `UnavailableError`.
   */
  async list(principal: Principal): Promise<WorkflowTool[]> {
    const offers = new Map<string, WorkflowTool & { readonly since: number }>();
    let after: string | undefined;
    do {
      const reached = defined({ among: reachOf(withScope(principal, starting)) });
      const from = after === undefined ? {} : { after };
      const page = await listWorkflows(this.#store, { limit: pageSize, ...from, ...reached });
      for (const { id, tool } of page.workflows) {
        const elder = tool && offers.get(tool.name);
        if (tool === undefined || (elder !== undefined && elder.since <= tool.since)) continue;
        const offer = await this.#ofWorkflow(id);
        if (offer !== undefined) offers.set(tool.name, { ...offer, since: tool.since });
      }
      after = page.next;
    } while (after !== undefined && offers.size < toolsMax);
    return [...offers.values()];
  }

  /** By the name of the tool. Rejects with `UnavailableError`. */
  async find(principal: Principal, name: string): Promise<WorkflowTool | undefined> {
    const { workflows } = withScope(principal, starting);
    const owner = await findToolOwner(this.#store, name, workflows && [...workflows]);
    return owner === undefined ? undefined : this.#ofWorkflow(owner);
  }

  /** The newest version of the workflow, if it is a tool. */
  async #ofWorkflow(workflow: string): Promise<WorkflowTool | undefined> {
    const found = await this.#store.findVersion({ workflow });
    return found && this.#offerOf(found.definition);
  }

  async #read(digest: string): Promise<WorkflowTool | undefined> {
    const definition = await getDefinition(this.#store, digest);
    const { workflow } = definition === undefined ? {} : await runWithYields(parsing(definition.source));
    const name = workflow && toolNameOf(workflow);
    if (workflow === undefined || name === undefined) return undefined;
    const { workflow: id, title, description } = workflow;
    const plan = await this.#plans(digest);
    const tool: Tool = {
      name,
      ...defined({ title }),
      description: description ?? describedBy(id, title, plan),
      inputSchema: { ...(plan.inputs as JsonObject), type: 'object' },
      ...answerSchemaOf(outputSchemaOf(workflow, { servers: serversIn(definition?.pins ?? {}) })),
      annotations: { ...defined({ title }), ...hints[strongestEffectOf(plan)] },
    };
    return { workflow: id, tool };
  }
}

/** The output `content`, if it is a list of content blocks. */
export const contentOutput = 'content';

/** The schema of the answer if the run takes longer than the call waits. */
const handle = {
  type: 'object',
  properties: { id: { type: 'string' }, status: { type: 'string' }, wakeAt: { type: 'string' } },
  required: ['id', 'status'],
} as const;

/** The tools' output schemas at the deploy. */
function serversIn(pins: Pins): ReadonlyMap<string, ServerOffer> {
  const servers = new Map<string, Extract<ServerOffer, { kind: 'known' }>>();
  for (const [target, { definition }] of Object.entries(pins)) {
    const [server, name] = splitTarget(target);
    // The definitions are objects of a server, stored as JSON.
    const { inputSchema, outputSchema } = (definition ?? {}) as ToolSchemas;
    if (!isObject(inputSchema)) continue;
    const tool = { name, inputSchema, ...(isObject(outputSchema) ? { outputSchema } : {}) };
    const tools = [...(servers.get(server)?.tools ?? []), tool];
    servers.set(server, { kind: 'known', tools, prompts: [], resources: [], resourceTemplates: [] });
  }
  return servers;
}

/** The default description: the title, and the calls. */
export function describedBy(id: string, title: string | undefined, plan: Plan): string {
  const targets = stepsOf(plan).flatMap((step) => (step.verb === 'tool' ? [`${step.server}/${step.tool}`] : []));
  const calls = [...new Set(targets)].slice(0, callsShown);
  return `${title ?? `Runs the workflow ${id}`}.${calls.length === 0 ? '' : ` Calls ${calls.join(', ')}.`}`;
}

const callsShown = 8;

/** Outputs may have the names of what a late answer has. */
function answerSchemaOf(outputs: OutputSchema): Pick<Tool, 'outputSchema'> {
  const { [contentOutput]: _content, run, ...properties } = outputs.properties;
  if (run === undefined && Object.keys(properties).length === 0) return {};
  const required = outputs.required.filter((name) => name !== contentOutput);
  const ended = { required, ...(run && { properties: { run } }) };
  const late = { required: ['run'], properties: { run: handle } };
  return { outputSchema: { type: 'object', properties, anyOf: [ended, late] } };
}

const hints: Readonly<Record<Effect, Tool['annotations']>> = {
  read: { readOnlyHint: true, idempotentHint: true, destructiveHint: false },
  idempotent: { readOnlyHint: false, idempotentHint: true, destructiveHint: false },
  write: { readOnlyHint: false, idempotentHint: false, destructiveHint: true },
};
