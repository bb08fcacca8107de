/** Combines the configured servers and the devices. A configured server hides a device of the same name. */
import type { Catalogue } from '@baton/protocol';
import type { Calls, ServerGroup } from '@baton/runner';

interface ConfiguredServers extends ServerGroup {
  test(name: string): Promise<Catalogue>;
}

export function withDevices<Own extends ConfiguredServers>(own: Own, devices: ServerGroup): Own {
  const isDevice = (name: string): boolean => !own.names.includes(name);
  const callsFor = (name: string): Calls => (isDevice(name) ? devices : own).calls;
  return {
    ...own,
    calls: {
      callTool: (call, context) => callsFor(call.server).callTool(call, context),
      getPrompt: (call, context) => callsFor(call.server).getPrompt(call, context),
      readResource: (call, context) => callsFor(call.server).readResource(call, context),
      release(runId) {
        own.calls.release(runId);
        devices.calls.release(runId);
      },
    },
    get names() {
      return [...own.names, ...devices.names.filter(isDevice)];
    },
    catalogue: (name, maxAgeMs) => (isDevice(name) ? devices : own).catalogue(name, maxAgeMs),
    status: () => [...own.status(), ...devices.status().filter(({ name }) => isDevice(name))],
    test: (name) => (isDevice(name) ? devices.catalogue(name) : own.test(name)),
    async close() {
      await Promise.all([own.close(), devices.close()]);
    },
  };
}
