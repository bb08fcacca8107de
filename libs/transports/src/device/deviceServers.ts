/** Devices as the rest of Baton sees them: servers that come and go. */
import { FailureError } from '@baton/engine';
import type { JsonObject } from '@baton/language';
import type { CallContext, CallResult, Calls } from '@baton/runner';

import type { Catalogue } from '../catalogue/catalogue.ts';
import type { ServerStatus } from '../server/server.ts';

export interface DeviceServers {
  readonly calls: Calls;
  /** Those that are connected, and those that were. Where they are listened for elsewhere: none. */
  readonly names: readonly string[];
  /** Rejects with `FailureError`. */
  catalogue(name: string): Promise<Catalogue>;
  status(): readonly ServerStatus[];
  /** Resolves when no connection or timer is left. */
  close(): Promise<void>;
}

interface CallableDevice {
  call(tool: string, args: JsonObject, context: CallContext): Promise<CallResult>;
}

/** `named` throws `FailureError`. */
export function deviceCallsOver(named: (device: string) => CallableDevice): Calls {
  return {
    callTool: async ({ server, tool, arguments: args }, context) => named(server).call(tool, args, context),
    getPrompt: async ({ server, prompt }) => {
      throw lacking(server, 'prompts', prompt);
    },
    readResource: async ({ server, uri }) => {
      throw lacking(server, 'resources', uri);
    },
    release: () => {},
  };
}

const lacking = (device: string, what: string, name: string): FailureError =>
  new FailureError('tool-not-found', `Devices have no ${what}: "${device}" cannot give "${name.slice(0, 80)}".`, {
    delivery: 'unsent',
  });
