/** Calls to devices, as calls to servers. */
import { FailureError } from '@baton/engine';
import type { JsonObject } from '@baton/language';
import type { CallContext, CallResult, Calls } from '@baton/runner';

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
