import { readServers } from '@baton/protocol';
import { type Ports, RunDrivers, requested } from '@baton/runner';
import { cachedPlans, definitionOf, deployWorkflow, getRun } from '@baton/store';
import { type FreshStore, AuthorizedServer, freshStore, testPorts } from '@baton/testing';
import { openServers } from '@baton/transports';
import { afterAll, beforeAll, expect, test } from 'vitest';

let store: FreshStore;
let remote: AuthorizedServer;

beforeAll(async () => {
  store = await freshStore();
  remote = await AuthorizedServer.start();
});

afterAll(async () => {
  await remote.close();
  await store.close();
});

function drives(calls: Ports['calls']): RunDrivers {
  return new RunDrivers(testPorts({ journal: store.journal, blobs: store.blobs, plans: cachedPlans(store), calls }));
}

test('an answer that does not fit the schema that the workflow was checked with fails its step', async () => {
  const auth = { grant: 'client-credentials', issuer: remote.issuer, clientId: 'baton', clientSecret: 'x' };
  const { config } = readServers(JSON.stringify({ mcpServers: { remote: { url: remote.url, baton: { auth } } } }));
  const kept = new Map<string, string>();
  const servers = openServers(config, {
    environment: {},
    secret: () => undefined,
    root: '/',
    version: 'test',
    oauth: { store: { load: async (name) => kept.get(name), save: async (name, text) => void kept.set(name, text) } },
  });
  const definition = definitionOf('workflow: w\nsteps: [{ tool: remote/greet }]\n', 'yaml', {
    'remote/greet': {
      effect: 'read',
      from: 'server',
      definition: { outputSchema: { type: 'object', required: ['greeting'] } },
    },
  });
  await deployWorkflow(store, { workflow: 'w', title: 'w', definition, findings: [], by: 'key' });
  const order = {
    workflow: 'w',
    version: 1,
    definition: definition.digest,
    inputs: {},
    trigger: { kind: 'api' },
  } as const;
  const { runId } = await store.request(requested({ ...order, by: 'key' }, Date.now()));
  await drives(servers.calls).drive(runId);
  await servers.close();
  expect(await getRun(store, runId)).toMatchObject({ status: 'failed', failure: { code: 'invalid-result' } });
});
