/**
 * `npm run published`: `baton servers test` for servers from npm, and all of their tools at the gateway, listed by the
 * official client and held against what providers of models take. It calls no tool.
 *
 * The servers are installed without their install scripts, into the folder that BATON_PUBLISHED names, or a temporary one.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { TestedServer } from '@baton/api/client';
import { freePort, temporaryPostgres } from '@baton/boot';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

import { startApp } from '../upgrade/processes.ts';
import { type PublishedServer, publishedServers } from './servers.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const key = 'of-the-test-of-published-servers-and-no-other';
const given = process.env['BATON_PUBLISHED'];
const folder = given ?? mkdtempSync(join(tmpdir(), 'baton-published-'));

const print = (line: string): void => void process.stdout.write(`${line}\n`);

function fail(line: string): void {
  print(`✗ ${line}`);
  process.exitCode = 1;
}

const packageOf = ({ spec }: PublishedServer): string => spec.slice(0, spec.lastIndexOf('@'));
const nameOf = (server: PublishedServer): string => packageOf(server).replace(/^@/, '').replaceAll('/', '-');

/** As an entry of `mcp.json`; undefined where it cannot be installed. */
function installed(server: PublishedServer): object | undefined {
  const own = join(folder, nameOf(server));
  const place = join(own, 'node_modules', packageOf(server));
  if (!existsSync(place)) {
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'package.json'), '{"private":true}');
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', server.spec];
    const { status, stderr } = spawnSync('npm', args, { cwd: own, encoding: 'utf8' });
    if (status !== 0) {
      fail(`${server.spec} cannot be installed: ${stderr.split('\n')[0]}`);
      return undefined;
    }
  }
  const { bin } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as { bin: string | object };
  const file = typeof bin === 'string' ? bin : String(Object.values(bin)[0]);
  const args = [join(place, file), ...(server.args?.(own) ?? [])];
  return { command: process.execPath, args, env: server.env?.(own) ?? {}, baton: { openTimeout: '2m' } };
}

/** The command itself, as a person would call it. */
function tested(name: string, env: Readonly<Record<string, string>>): TestedServer | string {
  const args = [join(root, 'apps/cli/src/main.ts'), 'servers', 'test', name, '--json'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    encoding: 'utf8',
  });
  return status === 0 ? (JSON.parse(stdout) as TestedServer) : stderr.trim();
}

async function listAtGateway(url: string): Promise<void> {
  const client = new Client({ name: 'published', version: '1' }, { capabilities: {} });
  const headers = { authorization: `Bearer ${key}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp/gateway`), { requestInit: { headers } }));
  const { tools } = await client.listTools(undefined, { timeout: 300_000 });
  const odd = tools.filter(
    ({ name, inputSchema }) =>
      !/^[a-zA-Z0-9_-]{1,64}$/.test(name) || ['anyOf', 'oneOf', 'allOf'].some((one) => one in inputSchema),
  );
  print(`\n${tools.length} tools at the gateway, listed by the official client`);
  for (const { name } of odd) fail(`${name} is not as providers of models take it`);
  await client.close();
}

const entries = publishedServers.map((server) => ({ name: nameOf(server), server, entry: installed(server) }));
const mcpServers = Object.fromEntries(
  entries.flatMap(({ name, entry }) => (entry === undefined ? [] : [[name, entry]])),
);
const data = mkdtempSync(join(tmpdir(), 'baton-published-data-'));
writeFileSync(join(data, 'mcp.json'), JSON.stringify({ mcpServers }));
const postgres = await temporaryPostgres();
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const env = {
  DATABASE_URL: postgres.url,
  BATON_DATA: data,
  BATON_SERVERS: join(data, 'mcp.json'),
  BATON_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  BATON_ADMIN_KEY: key,
  SHUTDOWN_GRACE: '1s',
};
const orchestrator = await startApp(root, 'orchestrator', { ...env, BATON_PORT: String(port) });
try {
  for (const { name, server, entry } of entries) {
    if (entry === undefined) continue;
    const answer = tested(name, { BATON_URL: url, BATON_API_KEY: key });
    if (typeof answer === 'string') fail(`${server.spec}: ${answer}`);
    else {
      const { tools, prompts, resources, protocolVersion, problems } = answer;
      print(`✓ ${server.spec}: MCP ${protocolVersion}, ${tools} tools, ${prompts} prompts, ${resources} resources`);
      for (const problem of problems) print(`    ${problem}`);
    }
  }
  await listAtGateway(url);
} finally {
  await orchestrator.stop();
  await postgres.stop();
  rmSync(data, { recursive: true });
  if (given === undefined) rmSync(folder, { recursive: true });
}
