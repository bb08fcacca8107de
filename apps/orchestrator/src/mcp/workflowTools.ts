/** Which workflows are MCP tools, and what is said of them: those deployed with `on: tool`. */
import type { Effect, JsonObject } from '@baton/language';
import { parsing } from '@baton/language';
import type { Plans } from '@baton/runner';
import { inTurns } from '@baton/runner';
import type { Store } from '@baton/store';
import { findToolOwner, getDefinition, listWorkflows, toolNameOf } from '@baton/store';
import type { Tool } from '@modelcontextprotocol/server';

import { effectOf } from '../keys/effects.ts';
import type { Principal } from '../keys/scopes.ts';

/** Tools beyond this are not listed: no model reads so many. */
const toolsMax = 500;
const pageSize = 200;
const keptMax = 1_000;

export interface WorkflowTool {
  readonly workflow: string;
  readonly tool: Tool;
}

export class WorkflowTools {
  readonly #store: Store;
  readonly #plans: Plans;
  /** By the digest of the definition; undefined for one that is no tool. */
  readonly #kept = new Map<string, Promise<WorkflowTool | undefined>>();

  constructor(store: Store, plans: Plans) {
    this.#store = store;
    this.#plans = plans;
  }

  /**
   * In order of their workflows; only those that the key reaches. Each name once, for the workflow that `find` finds.
   * Rejects with `UnavailableError`.
   */
  async list(principal: Principal): Promise<WorkflowTool[]> {
    const offers = new Map<string, WorkflowTool & { readonly since: number }>();
    let after: string | undefined;
    do {
      const reached = principal.workflows && { among: [...principal.workflows] };
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
  async find({ workflows }: Pick<Principal, 'workflows'>, name: string): Promise<WorkflowTool | undefined> {
    const owner = await findToolOwner(this.#store, name, workflows && [...workflows]);
    return owner === undefined ? undefined : this.#ofWorkflow(owner);
  }

  /** The newest version of the workflow, where it is a tool. */
  async #ofWorkflow(workflow: string): Promise<WorkflowTool | undefined> {
    const found = await this.#store.findVersion({ workflow });
    return found && this.#offerOf(found.definition);
  }

  #offerOf(definition: string): Promise<WorkflowTool | undefined> {
    const offer = this.#kept.get(definition) ?? this.#read(definition);
    this.#kept.delete(definition);
    this.#kept.set(definition, offer);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > keptMax && oldest !== undefined) this.#kept.delete(oldest);
    offer.catch(() => this.#kept.delete(definition));
    return offer;
  }

  async #read(digest: string): Promise<WorkflowTool | undefined> {
    const definition = await getDefinition(this.#store, digest);
    const { workflow } = definition === undefined ? {} : await inTurns(parsing(definition.source));
    const name = workflow && toolNameOf(workflow);
    if (workflow === undefined || name === undefined) return undefined;
    const { workflow: id, title, description, outputs = {} } = workflow;
    const plan = await this.#plans(digest);
    const tool: Tool = {
      name,
      ...(title === undefined ? {} : { title }),
      description: description ?? `Runs the workflow ${id}.`,
      inputSchema: { ...(plan.inputs as JsonObject), type: 'object' },
      ...outputSchemaOf(Object.keys(outputs).filter((name) => name !== contentOutput)),
      annotations: { ...(title === undefined ? {} : { title }), ...hints[effectOf(plan)] },
    };
    return { workflow: id, tool };
  }
}

/** The output that is the answer's content, where it is a list of content blocks. */
export const contentOutput = 'content';

/** The run, where it took longer than a call is kept waiting. */
const handle = {
  type: 'object',
  properties: { id: { type: 'string' }, status: { type: 'string' } },
  required: ['id', 'status'],
} as const;

const outputSchemaOf = (outputs: readonly string[]): Pick<Tool, 'outputSchema'> =>
  outputs.length === 0
    ? {}
    : {
        outputSchema: {
          type: 'object',
          properties: { ...Object.fromEntries(outputs.map((name) => [name, {}])), run: handle },
          anyOf: [{ required: [...outputs] }, { required: ['run'] }],
        },
      };

const hints: Readonly<Record<Effect, Tool['annotations']>> = {
  read: { readOnlyHint: true, idempotentHint: true, destructiveHint: false },
  idempotent: { readOnlyHint: false, idempotentHint: true, destructiveHint: false },
  write: { readOnlyHint: false, idempotentHint: false, destructiveHint: true },
};
