/** For this room's tests: servers from entries of `mcp.json`, closed when the test ends. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { FailureError } from '@baton/engine';
import type { JsonObject } from '@baton/primitives';
import { readServers } from '@baton/protocol';
import type { CallContext, CallResult } from '@baton/runner';
import { callContext } from '@baton/testing';
import { onTestFinished } from 'vitest';

import { openServers, type Servers, type ServersOptions } from '../server/servers.ts';

export const environment = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: tmpdir(),
  LANG: 'C.UTF-8',
  OURS: 'not theirs',
};

/** A folder that is gone when the test has ended. */
export function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const newLedger = (): string => join(newFolder(), 'ledger.jsonl');

export interface TestServers extends Servers {
  call(server: string, tool: string, args?: JsonObject, context?: Partial<CallContext>): Promise<CallResult>;
  /** The failure of a call that must fail. */
  failure(server: string, tool: string, args?: JsonObject, context?: Partial<CallContext>): Promise<FailureError>;
}

export function trial(...of: Parameters<typeof openTrial>): TestServers {
  const servers = openTrial(...of);
  onTestFinished(() => servers.close());
  return servers;
}

/** The same, for the test that closes it. */
export function openTrial(
  mcpServers: Readonly<Record<string, object>>,
  options: Partial<ServersOptions> = {},
): TestServers {
  const { config, findings } = readServers(JSON.stringify({ mcpServers }));
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map(({ path, message }) => `${path}: ${message}`).join('\n'));
  const servers = openServers(config, {
    environment,
    secret: () => undefined,
    root: tmpdir(),
    version: '0.0.0',
    ...options,
  });
  const call: TestServers['call'] = (server, tool, args = {}, context = {}) =>
    servers.calls.callTool({ server, tool, arguments: args }, callContext(context));
  return {
    ...servers,
    call,
    failure: (...asking) =>
      call(...asking).then(
        ({ result }) => {
          throw new Error(`the call succeeded: ${JSON.stringify(result).slice(0, 200)}`);
        },
        (error: FailureError) => error,
      ),
  };
}

export const textOf = ({ result }: CallResult): string =>
  (result['content'] as readonly { readonly text: string }[])[0]?.text ?? '';
