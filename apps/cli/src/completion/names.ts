/** Names that only the API knows. Whoever presses the tab key waits for no one: late or refused means none. */
import { collect } from '../client/pages.ts';
import type { ShownRun } from '../client/runs.ts';
import { listTools } from '../client/servers.ts';
import type { Context } from '../context.ts';

export type Candidate = readonly [name: string, description: string];

type List = (context: Context, given: readonly string[]) => Promise<Candidate[]>;

const lists: Readonly<Record<string, List>> = {
  workflow: async (context) => {
    const workflows = await list<{ readonly id: string; readonly title?: string }>(context, '/v1/workflows');
    return workflows.map(({ id, title = '' }) => [id, title]);
  },
  run: async (context) => {
    const runs = await list<ShownRun>(context, '/v1/runs');
    return runs.map(({ id, workflow, status }) => [id, `${workflow} ${status}`]);
  },
  question: async (context) => {
    const questions = await list<{ readonly id: string; readonly message: string }>(context, '/v1/questions');
    return questions.map(({ id, message }) => [id, message]);
  },
  secret: async (context) => {
    const secrets = await list<{ readonly name: string }>(context, '/v1/secrets');
    return secrets.map(({ name }) => [name, '']);
  },
  key: async (context) => {
    const keys = await list<{ readonly id: string; readonly name: string }>(context, '/v1/keys');
    return keys.map(({ id, name }) => [id, name]);
  },
  schedule: async (context) => {
    const schedules = await list<{ readonly id: string; readonly cron: string }>(context, '/v1/schedules');
    return schedules.map(({ id, cron }) => [id, cron]);
  },
  server: async (context) => {
    const servers = await list<{ readonly name: string }>(context, '/v1/servers');
    return servers.map(({ name }) => [name, '']);
  },
  tool: async (context, [server = '']) => {
    const tools = await listTools(await context.client({}), server);
    return tools.map(({ name, description = '' }) => [name, description]);
  },
};

const patienceMs = 1_500;

/** `what`: the name of an argument or an option. `given`: the arguments before it. */
export async function namesFor(
  context: Context,
  what: string,
  given: readonly string[] = [],
): Promise<readonly Candidate[]> {
  const ask = Object.hasOwn(lists, what) ? lists[what] : undefined;
  const late = new Promise<Candidate[]>((resolve) => void setTimeout(resolve, patienceMs, []).unref());
  return Promise.race([ask?.(context, given) ?? [], late]).catch(() => []);
}

async function list<Item>(context: Context, path: string): Promise<Item[]> {
  return collect<Item>(await context.client({}), path, {});
}
