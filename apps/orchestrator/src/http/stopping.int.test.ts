import { Agent, request } from 'node:http';

import { freshStore } from '@baton/testing';
import { expect, onTestFinished, test } from 'vitest';

import { type TestApp, openTestApp } from '../testing/testApp.ts';

async function opened(): Promise<{ readonly app: TestApp; readonly url: string; readonly key: string }> {
  const store = await freshStore();
  onTestFinished(() => store.close());
  const app = await openTestApp(store, store.url);
  await app.deploy('workflow: asks\nsteps:\n  - ask: Go on?\n');
  return { app, url: await app.listen(), key: await app.newKey(['admin']) };
}

test('a client that waits for a run is answered before the process is gone, and does not wait afterwards', async () => {
  const { app, url, key } = await opened();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', prefer: 'wait=60' };
  const start = () => fetch(`${url}/v1/workflows/asks/runs`, { method: 'POST', headers, body: '{}' });
  const answers = [start(), start(), start()];
  const runs = async (): Promise<unknown> => (await app.ask('GET /v1/runs')).body['data'];
  await expect.poll(runs).toHaveLength(3);
  await app.close();
  for (const answer of await Promise.all(answers)) {
    expect(answer.status).toBe(202);
    expect(await answer.json()).toEqual({ id: expect.any(String) as string, status: 'queued' });
  }
});

test('a request on a connection that is still open while the process stops is served', async () => {
  const { app, url, key } = await opened();
  const agent = new Agent({ keepAlive: true });
  const statuses: (number | undefined)[] = [];
  const ask = (): Promise<boolean> =>
    new Promise((resolve) => {
      const asked = request(`${url}/v1/workflows`, { agent, headers: { authorization: `Bearer ${key}` } }, (answer) => {
        statuses.push(answer.statusCode);
        answer.resume().on('end', () => resolve(true));
      });
      // The connection or the listener is closed.
      asked.on('error', () => resolve(false)).end();
    });
  const loops = Promise.all(
    Array.from({ length: 20 }, async () => {
      while (await ask());
    }),
  );
  await expect.poll(() => statuses.length).toBeGreaterThan(40);
  await app.close();
  await loops;
  expect(new Set(statuses)).toEqual(new Set([200]));
});
