import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { findEntry } from './findEntry.ts';

let server: Server;
let registry: string;
/** What the registry answers, and what it was asked. */
let answer: { readonly status?: number; readonly text: string };
let asked: string;

beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    asked = url;
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' }).end(answer.text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
});

const row = (name: string, more: object = {}) => ({ server: { name, ...more }, _meta: {} });

function find(what: string, text: unknown, status = 200) {
  answer = { status, text: typeof text === 'string' ? text : JSON.stringify(text) };
  return findEntry(what, { registry, env: {} });
}

describe('a server that is looked up in a registry', () => {
  test('is found by its whole name, and by the end of it where one has that', async () => {
    const servers = [row('io.github.a/weather'), row('io.github.b/weather'), row('io.github.b/news')];
    expect(await find('io.github.b/weather', { servers })).toMatchObject({ name: 'io.github.b/weather' });
    expect(asked).toBe('/v0.1/servers?search=weather&version=latest');
    expect(await find('news', { servers })).toMatchObject({ name: 'io.github.b/news' });
    await expect(find('weather', { servers })).rejects.toMatchObject({
      message: '2 servers are called "weather".',
      hint: expect.stringContaining('io.github.a/weather, io.github.b/weather') as string,
    });
  });

  test('that is not there is told with those that are, whose names do nothing to a terminal', async () => {
    const servers = [row('io.github.a/wea\u001B[2Jther-map')];
    await expect(find('weather', { servers })).rejects.toMatchObject({
      message: expect.stringContaining('has no server "weather"') as string,
      hint: 'it has io.github.a/weather-map',
    });
    await expect(find('weather', { servers: [] })).rejects.toMatchObject({
      hint: expect.stringContaining('npm:NAME') as string,
    });
  });

  test('is not lost by faults of others in the list; its own are told', async () => {
    const servers = [7, row('io.github.a/other', { packages: 'none' }), row('io.github.a/weather', { version: '1' })];
    expect(await find('weather', { servers })).toMatchObject({ name: 'io.github.a/weather' });
    await expect(find('other', { servers })).rejects.toThrow('is no server.json: packages');
  });
});

describe('a registry', () => {
  test.each([
    ['null', null],
    ['a list', []],
    ['a text', '"weather"'],
    ['no list in it', {}],
    ['a map of servers', { servers: { weather: {} } }],
  ])('that answers no list of servers, but %s, is told', async (_, text) => {
    await expect(find('weather', text)).rejects.toMatchObject({
      message: expect.stringMatching(/^The registry at 127\.0\.0\.1:\d+ answered with no list of servers\.$/) as string,
    });
  });

  test.each([
    ['no JSON', '<!doctype html>', 200, 'is not JSON'],
    ['an error', '{}', 500, 'answered with 500'],
    ['without end', ' '.repeat(8 * 1024 * 1024 + 1), 200, 'answered with more than 8388608 bytes'],
  ])('that answers %s is told', async (_, text, status, words) => {
    await expect(find('weather', text, status)).rejects.toThrow(words);
  });

  test('that cannot be reached is told, and what else there is', async () => {
    await expect(findEntry('weather', { registry: 'http://127.0.0.1:1', env: {} })).rejects.toMatchObject({
      message: 'The registry at 127.0.0.1:1 cannot be reached.',
      hint: expect.stringContaining('--registry') as string,
    });
  });
});
