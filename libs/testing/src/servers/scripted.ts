/** Scripted MCP servers: real processes that misbehave on purpose, and what they wrote down. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const pathOf = (script: string): string => fileURLToPath(new URL(script, import.meta.url));

/** As an entry of `mcp.json`. */
export interface ScriptedServer {
  readonly command: string;
  readonly args: readonly string[];
}

/** Tools that misbehave in one way each; every call is in the ledger before anything else happens. */
export function toolsServer(ledger: string): ScriptedServer {
  writeFileSync(ledger, '');
  return { command: process.execPath, args: [pathOf('./tools.mjs'), ledger] };
}

/** Offers these tools, as in the answer to `tools/list`; `file` is where they are written down. */
export function offeringServer(file: string, tools: readonly object[]): ScriptedServer {
  writeFileSync(file, JSON.stringify(tools));
  return { command: process.execPath, args: [pathOf('./offers.mjs'), file] };
}

/** Says its `CREDENTIAL`, its argument and every text that it gets, in every way that the protocol knows. */
export const leakyServer = (...args: readonly string[]): ScriptedServer => ({
  command: process.execPath,
  args: [pathOf('./leaky.mjs'), ...args],
});

/** Makes and takes large texts; writes to `file` how long each was under way between the two. */
export const passingServer = (file: string): ScriptedServer => ({
  command: process.execPath,
  args: [pathOf('./passing.mjs'), file],
});

/** Any of the servers that the example of the language page calls: `nightly.mjs` says how each of them can fail. */
export function nightlyServer(ledger: string): ScriptedServer {
  writeFileSync(ledger, '', { flag: 'a' });
  return { command: process.execPath, args: [pathOf('./nightly.mjs'), ledger] };
}

/** Answers every call with a hello. No Node: to be opened a thousand times. */
export const helloServer: ScriptedServer = { command: 'sh', args: [pathOf('./hello.sh')] };

export type BrokenBehaviour =
  | 'exits'
  | 'rubbish'
  | 'silent'
  | 'stubborn'
  | 'wrapped'
  | 'deaf'
  | 'shut'
  | 'mortal'
  | 'astray'
  | 'babbles';

/** A process that is no good as a server. */
export const brokenServer = (how: BrokenBehaviour): ScriptedServer => ({
  command: process.execPath,
  args: [pathOf('./broken.mjs'), how],
});

/** The same behind a shell that waits for it. */
export const brokenBehindShell = (how: BrokenBehaviour): ScriptedServer => ({
  command: 'sh',
  args: ['-c', `"${process.execPath}" "${pathOf('./broken.mjs')}" ${how}; true`],
});

export interface LedgerEntry {
  readonly pid: number;
  readonly call?: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly cancelled?: number;
  readonly reason?: string;
}

export const readLedger = (ledger: string): LedgerEntry[] =>
  readFileSync(ledger, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LedgerEntry);
