/** Implements `Calls` of libs/runner for devices. */
import { FailureError } from '@baton/engine';
import type { JsonObject } from '@baton/primitives';
import type { CallContext, CallResult, Calls } from '@baton/runner';

interface CallableDevice {
  call(tool: string, args: JsonObject, context: CallContext): Promise<CallResult>;
}

/** `deviceNamed` returns the device of a name, or throws `FailureError`. */
export function deviceCallsOver(deviceNamed: (device: string) => CallableDevice): Calls {
  return {
    callTool: async ({ server, tool, arguments: args }, context) => deviceNamed(server).call(tool, args, context),
    getPrompt: async ({ server, prompt }) => {
      throw notOffered(server, 'prompts', prompt);
    },
    readResource: async ({ server, uri }) => {
      throw notOffered(server, 'resources', uri);
    },
    release: () => {},
  };
}

const notOffered = (device: string, what: string, name: string): FailureError =>
  new FailureError('tool-not-found', `Devices have no ${what}: "${device}" cannot give "${name.slice(0, 80)}".`, {
    delivery: 'unsent',
  });
