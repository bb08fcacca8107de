import { once } from 'node:events';
import { createServer } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { type ListenPlace, cannotListen } from './cannotListen.ts';

async function listen(place: ListenPlace): Promise<ListenPlace> {
  const server = createServer().listen(place);
  await once(server, 'listening').catch(cannotListen(place, 'BATON_METRICS'));
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address !== null ? { ...place, port: address.port } : place;
}

test('a taken port is told with the setting that names it', async () => {
  const place = await listen({ host: '127.0.0.1', port: 0 });
  await expect(listen(place)).rejects.toMatchObject({
    name: 'StartError',
    message: `port ${place.port} on 127.0.0.1 is taken: set BATON_METRICS_PORT to another one, or to 0 for any that is free`,
  });
});

test('an address of another machine is told with the setting that names it', async () => {
  // A network that is for examples alone. RFC 5737.
  await expect(listen({ host: '192.0.2.1', port: 0 })).rejects.toMatchObject({
    name: 'StartError',
    message: expect.stringMatching(/192\.0\.2\.1 \(EADDRNOTAVAIL\): set BATON_METRICS_HOST to an address/) as string,
  });
});

test('a bug stays one', () => {
  const bug = new TypeError('x is not a function');
  expect(() => cannotListen({ host: '127.0.0.1', port: 1 }, 'BATON')(bug)).toThrow(bug);
});
