/** Checks the key, and with it the MCP servers as the orchestrator sees them. */
import { type Client, type Server, ProblemError, UnreachableError } from '@baton/api/client';

import { unreachableHint } from '../client/unreachableHint.ts';
import { type DoctorFinding, odd, ok, wrong } from './finding.ts';

export async function serverFindings(client: Client, isThorough: boolean): Promise<DoctorFinding[]> {
  try {
    const servers = await Array.fromAsync(client.servers.all());
    const key = ok('key', 'The key is valid, and may read the servers.');
    if (servers.length === 0) return [key, odd('servers', 'No servers are configured.', 'add servers to mcp.json')];
    return [key, ...(await Promise.all(servers.map((server) => look(client, server, isThorough))))];
  } catch (error) {
    if (error instanceof ProblemError) return [keyFinding(error)];
    if (error instanceof UnreachableError) return [wrong('api', error.message, unreachableHint(error))];
    throw error;
  }
}

function keyFinding({ status, message }: ProblemError): DoctorFinding {
  if (status === 401) {
    return wrong(
      'key',
      message,
      'set BATON_API_KEY, or give --api-key; on Baton’s machine, set BATON_DATA to its data folder',
    );
  }
  return status === 403
    ? odd('key', message, 'give the key the scope servers:read to check the servers')
    : wrong('key', message);
}

async function look(client: Client, server: Server, isThorough: boolean): Promise<DoctorFinding> {
  const what = `server ${server.name}`;
  if (server.state === 'disabled') return ok(what, 'It is disabled in mcp.json.');
  if (!isThorough) return asSeen(what, server);
  try {
    const { tools, problems } = await client.servers.test(server.name);
    const [problem] = problems;
    return problem === undefined ? ok(what, `It answers, with ${tools} tools.`) : odd(what, problem);
  } catch (error) {
    if (error instanceof ProblemError) return wrong(what, error.message, hintFor(server.name));
    if (error instanceof UnreachableError) return wrong(what, error.message, unreachableHint(error));
    throw error;
  }
}

/** What the orchestrator knows of a server without asking it. */
export function asSeen(
  what: string,
  { name, state, lastError }: Pick<Server, 'name' | 'state' | 'lastError'>,
): DoctorFinding {
  if (state === 'failing' || state === 'resting') {
    return wrong(what, lastError?.message ?? 'It could not be opened.', hintFor(name));
  }
  if (state === 'opening')
    return odd(what, lastError?.message ?? 'It is being opened, and has not answered yet.', hintFor(name));
  if (state === 'idle') return ok(what, `It has not been used yet. Test it: baton servers test ${name}`);
  return ok(what, 'Answers.');
}

const hintFor = (name: string): string =>
  `check its entry in mcp.json, then try again with \`baton servers test ${name}\``;
