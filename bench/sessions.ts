/**
 * Calls per second through the pool beside the bare SDK client: the same server, the same run, turn by turn.
 *
 *   node bench/sessions.ts [--quick] [--json FILE]
 *
 * Both sides call `echo` of server-everything; over stdio each has a process of its own, over HTTP both use one server.
 * Turns alternate, so that other load on the machine falls on both; the ratio is the median of the turns' ratios.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { freePort } from '@baton/boot';
import { readServers } from '@baton/protocol';
import { openServers } from '@baton/transports';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const isQuick = process.argv.includes('--quick');
const jsonFile = process.argv[process.argv.indexOf('--json') + 1];
const turns = isQuick ? 5 : 11;
const turnMs = isQuick ? 500 : 1_500;
const inFlight = [1, 8, 64];

const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
const message = { message: 'hello' };

type Call = () => Promise<unknown>;

interface Turn {
  readonly callsPerSecond: number;
  readonly p50Ms: number;
  readonly cpuMicros: number;
}

async function turn(call: Call, concurrency: number): Promise<Turn> {
  const times: number[] = [];
  const from = performance.now();
  const cpu = process.cpuUsage();
  const until = from + turnMs;
  const loop = async (): Promise<void> => {
    while (performance.now() < until) {
      const begun = performance.now();
      await call();
      times.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  const { user, system } = process.cpuUsage(cpu);
  return {
    callsPerSecond: (times.length / (performance.now() - from)) * 1_000,
    p50Ms: median(times),
    cpuMicros: (user + system) / times.length,
  };
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

async function compare(name: string, bare: Call, pooled: Call): Promise<void> {
  for (const call of [bare, pooled]) for (const concurrency of inFlight) await turn(call, concurrency);
  for (const concurrency of inFlight) {
    const pairs: { readonly bare: Turn; readonly pooled: Turn }[] = [];
    for (let at = 0; at < turns; at++) {
      const first = at % 2 === 0 ? bare : pooled;
      const one = await turn(first, concurrency);
      const other = await turn(first === bare ? pooled : bare, concurrency);
      pairs.push(first === bare ? { bare: one, pooled: other } : { bare: other, pooled: one });
    }
    report(name, concurrency, pairs);
  }
}

const results: object[] = [];
const ratios: object[] = [];

function report(name: string, concurrency: number, pairs: readonly { bare: Turn; pooled: Turn }[]): void {
  const all = pairs.map(({ bare, pooled }) => pooled.callsPerSecond / bare.callsPerSecond);
  const ratio = {
    name: `session.${name}.c${concurrency}`,
    value: median(all),
    min: Math.min(...all),
    max: Math.max(...all),
  };
  ratios.push(ratio);
  const of = (side: 'bare' | 'pooled', key: keyof Turn): number => median(pairs.map((pair) => pair[side][key]));
  for (const side of ['bare', 'pooled'] as const) {
    const callsPerSecond = of(side, 'callsPerSecond');
    results.push({ system: side, workload: name, concurrency, callsPerSecond, p50Ms: of(side, 'p50Ms') });
  }
  const show = (side: 'bare' | 'pooled'): string =>
    `${side} ${of(side, 'callsPerSecond').toFixed(0)}/s p50 ${of(side, 'p50Ms').toFixed(2)} ms ${of(side, 'cpuMicros').toFixed(0)} µs CPU`;
  console.log(
    `${name} c=${concurrency}: ${show('bare')} | ${show('pooled')} | ratio ${ratio.value.toFixed(2)} (${ratio.min.toFixed(2)}–${ratio.max.toFixed(2)})`,
  );
}

async function startHttp(): Promise<{ server: ChildProcess; url: string }> {
  const port = await freePort();
  const env = { ...process.env, PORT: String(port) };
  const server = spawn(process.execPath, [everything, 'streamableHttp'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  for await (const chunk of server.stderr ?? []) if (/listening/i.test(String(chunk))) break;
  return { server, url: `http://127.0.0.1:${port}/mcp` };
}

const http = await startHttp();
const { config } = readServers(
  JSON.stringify({ mcpServers: { stdio: { command: process.execPath, args: [everything] }, http: { url: http.url } } }),
);
const servers = openServers(config, { environment: process.env, secret: () => undefined, root: '.', version: '0' });
const context = {
  runId: 'bench',
  attemptKey: 'bench/echo#1',
  signal: new AbortController().signal,
  timeout: {},
  onProgress: () => {},
};
const pooled =
  (server: string): Call =>
  () =>
    servers.calls.callTool({ server, tool: 'echo', arguments: message }, context);

const client = (): Client => new Client({ name: 'bare', version: '0' });
const overStdio = client();
await overStdio.connect(new StdioClientTransport({ command: process.execPath, args: [everything], stderr: 'ignore' }));
const overHttp = client();
await overHttp.connect(new StreamableHTTPClientTransport(new URL(http.url)));
const bare =
  (over: Client): Call =>
  () =>
    over.callTool({ name: 'echo', arguments: message });

try {
  await compare('stdio.vsBareClient', bare(overStdio), pooled('stdio'));
  await compare('http.vsStockClient', bare(overHttp), pooled('http'));
} finally {
  await Promise.all([overStdio.close(), overHttp.close(), servers.close()]);
  http.server.kill();
}
if (jsonFile !== undefined && process.argv.includes('--json')) {
  writeFileSync(jsonFile, `${JSON.stringify({ results, ratios }, null, 2)}\n`);
}
