/**
 * Completes names, most of which only the API knows. Completion never makes a user wait: it gives no names if the API is late or
 * refuses.
 */

import { isObject, within } from '@baton/primitives';

import type { Context } from '../context.ts';
import { templates } from '../init/templates.ts';
import { sessionNameOf } from '../run/findRun.ts';

export type CompletionCandidate = readonly [name: string, description: string];

type List = (context: Context, given: readonly string[]) => Promise<CompletionCandidate[]>;

async function keys(context: Context): Promise<CompletionCandidate[]> {
  const all = await Array.fromAsync((await context.client({})).keys.all());
  return all.map(({ id, name }) => [id, name]);
}

const lists: Readonly<Record<string, List>> = {
  workflow: async (context) => {
    const workflows = await Array.fromAsync((await context.client({})).workflows.all());
    return workflows.map(({ id, title = '' }) => [id, title]);
  },
  run: async (context) => {
    const runs = await Array.fromAsync((await context.client({})).runs.all());
    return runs.map(({ id, workflow, status }) => [id, `${workflow} ${status}`]);
  },
  question: async (context) => {
    const questions = await Array.fromAsync((await context.client({})).questions.all());
    return questions.map(({ id, message }) => [id, message]);
  },
  secret: async (context) => {
    const secrets = await Array.fromAsync((await context.client({})).secrets.all());
    return secrets.map(({ name }) => [name, '']);
  },
  key: (context) => keys(context),
  // The key that did something.
  by: (context) => keys(context),
  // A browser that is logged in.
  login: async (context) => {
    const sessions = await Array.fromAsync((await context.client({})).sessions.all());
    return sessions.map(({ id, key, createdAt }) => [id, `${key.name} ${createdAt}`]);
  },
  schedule: async (context) => {
    const schedules = await Array.fromAsync((await context.client({})).schedules.all());
    return schedules.map(({ id, times }) => [id, times]);
  },
  template: () => Promise.resolve(templates.map(({ name, about }) => [name, about])),
  code: async () => {
    const { explanations } = await import('../explain/explanations.ts');
    return [...new Map(explanations.map(({ code, means }) => [code, means]))];
  },
  // Of `run WORKFLOW`, or of `servers call SERVER TOOL`.
  input: async (context, [owner = '', tool]) => {
    const client = await context.client({});
    if (tool === undefined) return inputsIn((await client.workflows.get(owner)).inputs);
    const { data: tools } = await client.servers.tools(owner);
    return inputsIn(tools.find(({ name }) => name === tool)?.inputSchema);
  },
  session: async (context) => {
    const runs = await Array.fromAsync((await context.client({})).runs.all({ trigger: 'session' }, { limit: 100 }));
    return [...new Set(runs.map(sessionNameOf))].flatMap((name) => (name === undefined ? [] : [[name, ''] as const]));
  },
  worker: async (context) => {
    const { data } = await (await context.client({})).system.workers();
    return data.map(({ id, status }) => [id, status]);
  },
  server: async (context) => {
    const servers = await Array.fromAsync((await context.client({})).servers.all());
    return servers.map(({ name }) => [name, '']);
  },
  hook: async (context) => {
    const { data: hooks } = await (await context.client({})).hooks();
    return hooks.map(({ workflow, hook }) => [`${workflow}/${hook}`, '']);
  },
  tool: async (context, [server = '']) => {
    const { data: tools } = await (await context.client({})).servers.tools(server);
    return tools.map(({ name, description = '' }) => [name, description]);
  },
};

/** As the value of `-i` begins. */
const inputsIn = (schema: unknown): CompletionCandidate[] => {
  const properties = isObject(schema) && isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  return properties.map(([name, details]) => {
    const about = isObject(details) ? details['description'] : undefined;
    return [`${name}=`, typeof about === 'string' ? about : ''];
  });
};

const patienceMs = 1_500;

/** `what`: the name of an argument or an option. `given`: the arguments before it. */
export async function namesFor(
  context: Context,
  what: string,
  given: readonly string[] = [],
): Promise<readonly CompletionCandidate[]> {
  const ask = Object.hasOwn(lists, what) ? lists[what] : undefined;
  if (ask === undefined) return [];
  return within(ask(context, given), patienceMs).catch(() => []);
}
