/** Which workflows are MCP tools, and what is said of them: those deployed with `on: tool`. */
import type { Effect, JsonObject } from '@baton/language';
import { parseWorkflow } from '@baton/language';
import type { Plans } from '@baton/runner';
import type { Store } from '@baton/store';
import { getDefinition, listWorkflows } from '@baton/store';
import type { Tool } from '@modelcontextprotocol/server';

import { effectOf, reaches } from '../keys/reach.ts';
import type { Principal } from '../keys/scopes.ts';

/** Tools beyond this are not listed: no model reads so many. */
const toolsMax = 500;
const pageSize = 200;
const keptMax = 1_000;

export class Offers {
  readonly #store: Store;
  readonly #plans: Plans;
  /** By the digest of the definition; undefined for one that is no tool. */
  readonly #kept = new Map<string, Promise<Tool | undefined>>();

  constructor(store: Store, plans: Plans) {
    this.#store = store;
    this.#plans = plans;
  }

  /** In order of their names; only those that the key reaches. Rejects with `UnavailableError`. */
  async list(principal: Principal): Promise<Tool[]> {
    const tools: Tool[] = [];
    let after: string | undefined;
    do {
      const page = await listWorkflows(this.#store, { limit: pageSize, ...(after === undefined ? {} : { after }) });
      for (const { id } of page.workflows) {
        const tool = await this.find(principal, id);
        if (tool !== undefined) tools.push(tool);
      }
      after = page.next;
    } while (after !== undefined && tools.length < toolsMax);
    return tools;
  }

  /** The newest version of the workflow, where it is a tool. Rejects with `UnavailableError`. */
  async find(principal: Principal, workflow: string): Promise<Tool | undefined> {
    if (!reaches(principal, workflow)) return undefined;
    const found = await this.#store.findVersion({ workflow });
    return found && this.#toolOf(found.definition);
  }

  #toolOf(definition: string): Promise<Tool | undefined> {
    const tool = this.#kept.get(definition) ?? this.#read(definition);
    this.#kept.delete(definition);
    this.#kept.set(definition, tool);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > keptMax && oldest !== undefined) this.#kept.delete(oldest);
    tool.catch(() => this.#kept.delete(definition));
    return tool;
  }

  async #read(digest: string): Promise<Tool | undefined> {
    const definition = await getDefinition(this.#store, digest);
    const { workflow } = definition === undefined ? {} : parseWorkflow(definition.source);
    if (workflow?.on?.some((trigger) => 'tool' in trigger) !== true) return undefined;
    const { workflow: name, title, description, outputs = {} } = workflow;
    const plan = await this.#plans(digest);
    return {
      name,
      ...(title === undefined ? {} : { title }),
      description: description ?? `Runs the workflow ${name}.`,
      inputSchema: { ...(plan.inputs as JsonObject), type: 'object' },
      outputSchema: outputSchemaOf(Object.keys(outputs)),
      annotations: { ...(title === undefined ? {} : { title }), ...hints[effectOf(plan)] },
    };
  }
}

/** The run, where it took longer than a call is kept waiting. */
export const handle = {
  type: 'object',
  properties: { id: { type: 'string' }, status: { type: 'string' } },
  required: ['id', 'status'],
} as const;

const outputSchemaOf = (outputs: readonly string[]): NonNullable<Tool['outputSchema']> => ({
  type: 'object',
  properties: { ...Object.fromEntries(outputs.map((name) => [name, {}])), run: handle },
  anyOf: [{ required: [...outputs] }, { required: ['run'] }],
});

const hints: Readonly<Record<Effect, Tool['annotations']>> = {
  read: { readOnlyHint: true, idempotentHint: true, destructiveHint: false },
  idempotent: { readOnlyHint: false, idempotentHint: true, destructiveHint: false },
  write: { readOnlyHint: false, idempotentHint: false, destructiveHint: true },
};
