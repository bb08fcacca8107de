/** What the way out does with a body that comes faster than it is read. */
import { createServer } from 'node:http';

import { hostileTls } from '@baton/testing';
import { describe, expect, onTestFinished, test } from 'vitest';

import { event, listening } from '../testing/testHttp.ts';
import type { LookUpAll } from './addresses.ts';
import { HttpClient } from './httpClient.ts';

test('a stream of many small events is read to its end, and nothing empty is handed on', async () => {
  const events = Array.from({ length: 5_000 }, (_, at) => event({ at }));
  const url = await listening((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const one of events) response.write(one);
    response.end();
  });
  const fetcher = new HttpClient({ addresses: { loopback: true, networks: [] }, bodyBytes: 1e6, timeLimitMs: 10_000 });
  onTestFinished(() => fetcher.close());
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await fetcher.fetch(url)).body) {
    chunks.push(chunk);
    // A reader of an empty one asks for the next at once: without a limit this goes on for ever, and nothing else runs.
    if (chunk.length === 0) break;
  }
  expect(Buffer.concat(chunks).toString()).toBe(events.join(''));
});

test('a server that ends TLS in every bad way fails each request, and no error of a socket ends the process', async () => {
  const server = await hostileTls();
  const addresses = { loopback: true, networks: [] };
  const fetcher = new HttpClient({ addresses, bodyBytes: 1e6, timeLimitMs: 1_000 });
  onTestFinished(async () => {
    await fetcher.close();
    await server.close();
  });
  for (let times = 1; times <= 32; times += 1)
    await expect(fetcher.fetch(`https://127.0.0.1:${server.port}/`)).rejects.toBeInstanceOf(Error);
});

describe('a name', () => {
  /** A name server that answers every question with these addresses. */
  const resolving =
    (...addresses: string[]): LookUpAll =>
    (_, __, callback) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );

  async function reached(addresses: readonly string[], loopback: boolean): Promise<{ knocks: number; why: unknown }> {
    let knocks = 0;
    const base = await listening((_, response) => {
      knocks += 1;
      response.end('inside');
    });
    const lookup = resolving(...addresses);
    const fetcher = new HttpClient({
      addresses: { loopback, networks: [] },
      bodyBytes: 1e6,
      timeLimitMs: 10_000,
      lookup,
    });
    onTestFinished(() => fetcher.close());
    const why = await fetcher.fetch(base.replace('127.0.0.1', 'innocent.example')).then(
      (answer) => answer.text(),
      (error: unknown) => error,
    );
    return { knocks, why };
  }

  test.each([
    ['that means this machine', ['127.0.0.1']],
    ['of which one address of several does', ['93.184.216.34', '127.0.0.1']],
    ['that means it as IPv6', ['::ffff:127.0.0.1']],
  ])('%s is not connected to', async (_, addresses) => {
    const { knocks, why } = await reached(addresses, false);
    expect(String(why)).toMatch(/^BlockedAddressError: innocent.example may not be connected to: .* loopback address$/);
    expect(knocks).toBe(0);
  });

  test('is connected to where its addresses are allowed', async () => {
    expect(await reached(['127.0.0.1'], true)).toEqual({ knocks: 1, why: 'inside' });
  });
});

describe('a proxy', () => {
  async function proxied(except: string) {
    const asked: string[] = [];
    const proxy = createServer().on('connect', ({ url = '' }, socket) => {
      asked.push(url);
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void proxy.close());
    const address = proxy.address();
    const http = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
    const fetcher = new HttpClient({
      addresses: { loopback: false, networks: [] },
      bodyBytes: 1e6,
      timeLimitMs: 10_000,
      proxy: { http, https: http, except },
      lookup: (_, __, callback) => callback(new Error('looked up here'), []),
    });
    onTestFinished(() => fetcher.close());
    return { asked, fetcher };
  }

  test('is asked for a remote server, and looks the name up', async () => {
    const { asked, fetcher } = await proxied('');
    await expect(fetcher.fetch('https://mcp.example/mcp')).rejects.toThrow('502');
    expect(asked).toEqual(['mcp.example:443']);
  });

  test('is not asked for a host that is excepted, nor for an address that may not be connected to', async () => {
    const { asked, fetcher } = await proxied('mcp.example');
    await expect(fetcher.fetch('https://mcp.example/mcp')).rejects.toThrow('looked up here');
    await expect(fetcher.fetch('https://10.0.0.1/mcp')).rejects.toThrow('private address');
    expect(asked).toEqual([]);
  });
});
