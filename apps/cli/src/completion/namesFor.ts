/**
 * Completes names, most of which only the API knows. Completion never makes a user wait: it gives no names if the API is late or
 * refuses.
 */

import type { Client } from '@baton/api/client';
import { isObject, within } from '@baton/primitives';

import type { Context } from '../context.ts';
import { templates } from '../init/templates.ts';
import { sessionNameOf } from '../run/findRun.ts';

export type CompletionCandidate = readonly [name: string, description: string];

/** Things that the API knows. `given`: the arguments before. */
type List = (client: Client, given: readonly string[]) => Promise<CompletionCandidate[]>;

const keys: List = (client) => Array.fromAsync(client.keys.all(), ({ id, name }) => [id, name]);

const lists: Readonly<Record<string, List>> = {
  workflow: (client) => Array.fromAsync(client.workflows.all(), ({ id, title = '' }) => [id, title]),
  run: (client) => Array.fromAsync(client.runs.all(), ({ id, workflow, status }) => [id, `${workflow} ${status}`]),
  question: (client) => Array.fromAsync(client.questions.all(), ({ id, message }) => [id, message]),
  secret: (client) => Array.fromAsync(client.secrets.all(), ({ name }) => [name, '']),
  // The key that did something.
  by: keys,
  // A browser that is logged in.
  browser: (client) =>
    Array.fromAsync(client.sessions.all(), (login) => [
      login.id,
      `${(login.person ?? login.key)?.name ?? ''} ${login.createdAt}`,
    ]),
  poll: (client) => Array.fromAsync(client.polls.all(), ({ id, tool, event }) => [id, tool ?? event ?? '']),
  // Of `keys revoke KEY`, or of `state get WORKFLOW KEY`.
  key: async (client, [workflow]) =>
    workflow === undefined
      ? keys(client, [])
      : (await client.state.get(workflow)).values.map(({ key, revision }) => [key, `${revision} writes`]),
  schedule: (client) => Array.fromAsync(client.schedules.all(), ({ id, times }) => [id, times]),
  // Of `run WORKFLOW`, or of `servers call SERVER TOOL`.
  input: async (client, [owner = '', tool]) => {
    if (tool === undefined) return inputsIn((await client.workflows.get(owner)).inputs);
    const { data: tools } = await client.servers.tools(owner);
    return inputsIn(tools.find(({ name }) => name === tool)?.inputSchema);
  },
  session: async (client) => {
    const names = await Array.fromAsync(client.runs.all({ trigger: 'session' }, { limit: 100 }), sessionNameOf);
    return [...new Set(names)].flatMap((name) => (name === undefined ? [] : [[name, ''] as const]));
  },
  worker: async (client) => (await client.system.workers()).data.map(({ id, status }) => [id, status]),
  server: (client) => Array.fromAsync(client.servers.all(), ({ name }) => [name, '']),
  hook: async (client) => (await client.hooks()).data.map(({ workflow, hook }) => [`${workflow}/${hook}`, '']),
  tool: async (client, [server = '']) =>
    (await client.servers.tools(server)).data.map(({ name, description = '' }) => [name, description]),
};

/** Things that every installation has. */
const fixedLists: Readonly<Record<string, () => Promise<CompletionCandidate[]>>> = {
  template: async () => templates.map(({ name, about }) => [name, about]),
  code: async () => {
    const { explanations } = await import('../explain/explanations.ts');
    return [...new Map(explanations.map(({ code, means }) => [code, means]))];
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
  const list = Object.hasOwn(lists, what) ? lists[what] : undefined;
  if (list === undefined) return Object.hasOwn(fixedLists, what) ? ((await fixedLists[what]?.()) ?? []) : [];
  return within(
    context.client().then((client) => list(client, given)),
    patienceMs,
  ).catch(() => []);
}
