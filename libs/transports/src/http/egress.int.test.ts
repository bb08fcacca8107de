/** What the way out does with a body that comes faster than it is read. */
import { expect, onTestFinished, test } from 'vitest';

import { event, listening } from '../testing/testHttp.ts';
import { Egress } from './egress.ts';

test('a stream of many small events is read to its end, and nothing empty is handed on', async () => {
  const events = Array.from({ length: 5_000 }, (_, at) => event({ at }));
  const url = await listening((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const one of events) response.write(one);
    response.end();
  });
  const egress = new Egress({ addresses: { loopback: true, networks: [] }, bodyBytes: 1e6, timeLimitMs: 10_000 });
  onTestFinished(() => egress.close());
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await egress.fetch(url)).body) {
    chunks.push(chunk);
    // Whoever reads an empty one asks for the next at once: that goes on for ever, and nothing else does.
    if (chunk.length === 0) break;
  }
  expect(Buffer.concat(chunks).toString()).toBe(events.join(''));
});
