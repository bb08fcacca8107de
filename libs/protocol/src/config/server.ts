/**
 * One configured server, as the rest of Baton reads it. Texts may contain references; `resolveServer` replaces them.
 */
import type { z } from 'zod';

import type { builtinNames, BuiltinServer, HttpServer, ServerPolicy, StdioServer } from './schema.ts';

interface NamedServer {
  readonly name: string;
  /** Digest of all that it says: a session opened under another revision is not used. */
  readonly revision: string;
}

export type StdioServerConfig = NamedServer & {
  readonly type: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly disabled: boolean;
  readonly policy: ServerPolicy;
};

export type HttpServerConfig = NamedServer & {
  readonly type: 'http' | 'sse' | 'http-plain';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly disabled: boolean;
  readonly policy: ServerPolicy;
};

/** A server within Baton; `http` calls the hosts that its policy lists. */
export type BuiltinServerConfig = NamedServer & {
  readonly type: 'builtin';
  readonly builtin: (typeof builtinNames)[number];
  readonly disabled: boolean;
  readonly policy: ServerPolicy;
};

export type ServerConfig = StdioServerConfig | HttpServerConfig | BuiltinServerConfig;

export function stdioServer(
  named: NamedServer,
  { baton, env, cwd, ...rest }: z.infer<typeof StdioServer>,
): StdioServerConfig {
  const set = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== null);
  return { ...named, ...rest, ...(cwd === undefined ? {} : { cwd }), env: Object.fromEntries(set), policy: baton };
}

export const builtinServer = (
  named: NamedServer,
  { baton, ...rest }: z.infer<typeof BuiltinServer>,
): BuiltinServerConfig => ({ ...named, ...rest, policy: baton });

export const httpServer = (named: NamedServer, { baton, ...rest }: z.infer<typeof HttpServer>): HttpServerConfig => ({
  ...named,
  ...rest,
  policy: baton,
});
