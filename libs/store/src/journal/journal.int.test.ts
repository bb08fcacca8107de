import { faultProxy, freshDatabase, journalContract, testSecretKey } from '@baton/testing';

import { openStore } from '../openStore.ts';
import { getRun } from '../runs/getRun.ts';

journalContract('on Postgres', async () => {
  const database = await freshDatabase();
  const url = new URL(database.url);
  const proxy = await faultProxy({ host: url.hostname, port: Number(url.port) });
  url.port = String(proxy.port);
  const one = openStore({ url: url.href, secretKey: testSecretKey });
  const other = openStore({ url: database.url, secretKey: testSecretKey });
  return {
    one: one.journal,
    other: other.journal,
    blobs: one.blobs,
    state: other.state,
    request: (request) => one.request(request),
    row: (runId) => getRun(other, runId),
    cutOne: (when) => (when === 'before' ? proxy.cutAtRequest() : proxy.cutAtAnswer()),
    close: async () => {
      await Promise.all([one.close(), other.close()]);
      await proxy.close();
      await database.drop();
    },
  };
});
