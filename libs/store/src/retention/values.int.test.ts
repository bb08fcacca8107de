/** Large values outside of the database: in a folder, and in a bucket of a server that can be away, slow, or wrong. */
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';

import { unawaited } from '@baton/primitives';
import { UnavailableError } from '@baton/runner';
import { type FreshStore, freshStore, requestedEvent, testSecretKey } from '@baton/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';

import { type Store, openStore } from '../openStore.ts';
import { openPlace } from '../values/openPlace.ts';
import { s3Place } from '../values/s3Place.ts';
import { signedHeaders } from '../values/signature.ts';
import type { ValuePlace } from '../values/valuePlace.ts';
import { contentProblem } from '../verification/storedContent.ts';
import { moveValue } from './moveValues.ts';
import { removeValues } from './removeValues.ts';

const credentials = { accessKeyId: 'the-access-key', secretAccessKey: 'the-secret-access-key' };
const later = Date.now() + 60_000;

/** A bucket that knows its requests by their signature. `answer`: instead of what it would say. */
async function bucket() {
  const objects = new Map<string, Buffer>();
  const behaviour: {
    answer?: (method: string, response: ServerResponse) => boolean;
    taken: (content: Buffer) => Buffer;
  } = { taken: (content) => content };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url: path = '', headers } = request;
    const content = await buffer(request);
    if (behaviour.answer?.(method, response) === true) return;
    const at = Date.parse(String(headers['x-amz-date']).replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
    const url = new URL(path, `http://${headers.host}`);
    const expected = signedHeaders({ method, url, region: 'here', content, at }, credentials);
    if (headers.authorization !== expected['authorization']) return void response.writeHead(403).end('<Error/>');
    const found = objects.get(path);
    if (method === 'PUT') objects.set(path, behaviour.taken(content));
    if (method === 'DELETE') objects.delete(path);
    if (method === 'GET' && found === undefined) return void response.writeHead(404).end('<Error/>');
    response.end(method === 'GET' ? found : undefined);
  };
  const server = createServer((...both) => unawaited(serve(...both))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
  };
  const { port } = server.address() as AddressInfo;
  return { endpoint: `http://127.0.0.1:${port}`, objects, behaviour, close };
}

const placeAt = (endpoint: string, answerMs = 10_000): ValuePlace =>
  s3Place({ bucket: 'values', prefix: 'of/baton', region: 'here', endpoint, credentials, answerMs });

let database: FreshStore;
beforeAll(async () => {
  database = await freshStore();
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.pool.query('delete from blob_use; delete from blob');
});

/** The same database, whose values are there. */
function withPlace(values: ValuePlace | undefined): Store {
  const store = openStore({ url: database.url, secretKey: testSecretKey, values, answerMs: 60_000 });
  onTestFinished(() => store.close());
  return store;
}

async function storedValue(text = 'ü'.repeat(40_000)): Promise<string> {
  const sha256 = hash('sha256', text, 'hex');
  await database.request({ event: requestedEvent(), blobs: [{ sha256, text }] });
  return sha256;
}

const textInDatabase = async (): Promise<number> => {
  const { rows } = await database.pool.query<{ bytes: number }>(
    'select sum(octet_length(text))::int as bytes from blob',
  );
  return rows[0]?.bytes ?? 0;
};

describe.each(['file', 's3'])('values in a place of %s', (kind) => {
  test('they are moved when they are old enough, read, verified, and gone with the last run that uses them', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'baton-values-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const s3 = await bucket();
    onTestFinished(s3.close);
    const env = { AWS_ACCESS_KEY_ID: credentials.accessKeyId, AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey };
    const address = kind === 'file' ? `file:${folder}` : `s3://values/of/baton?region=here&endpoint=${s3.endpoint}`;
    const place = openPlace(address, env);
    const store = withPlace(place);
    const count = async (): Promise<number> =>
      kind === 's3'
        ? s3.objects.size
        : (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) => one.isFile()).length;

    const sha256 = await storedValue();
    expect(await moveValue(store, place, 0)).toBe(false);
    expect(await moveValue(store, place, later)).toBe(true);
    expect(await moveValue(store, place, later)).toBe(false);
    expect([await textInDatabase(), await count()]).toEqual([0, 1]);
    expect(await store.blobs.get(sha256)).toBe('ü'.repeat(40_000));
    expect((await contentProblem(store))?.where).not.toContain('value');

    await database.pool.query('delete from run');
    expect(await removeValues(store, { before: 1_900_000_000_000 })).toEqual({ values: 1 });
    expect([await store.blobs.get(sha256), await count()]).toEqual([undefined, 0]);
  });
});

describe('a place of values', () => {
  test('a place of values that is away, refuses, or is slow leaves new values in the database, and old ones for later', async () => {
    const s3 = await bucket();
    const place = placeAt(s3.endpoint, 200);
    const store = withPlace(place);
    const moved = await storedValue();
    await moveValue(store, place, later);
    const staying = await storedValue('another '.repeat(10_000));
    const bytes = await textInDatabase();
    const answers = [
      (_: string, response: ServerResponse) => Boolean(response.writeHead(503).end()),
      (_: string, response: ServerResponse) => Boolean(response.writeHead(403).end(credentials.secretAccessKey)),
      () => true,
      (_: string, response: ServerResponse) => Boolean(response.destroy()),
    ];
    for (const answer of answers) {
      s3.behaviour.answer = answer;
      await expect(moveValue(store, place, later)).rejects.toThrow(UnavailableError);
      const read = await store.blobs.get(moved).catch((error: Error) => error);
      expect(read).toBeInstanceOf(UnavailableError);
      expect(String((read as Error).stack)).not.toContain('access-key');
    }
    await s3.close();
    await expect(moveValue(store, place, later)).rejects.toThrow(UnavailableError);
    expect([await textInDatabase(), await store.blobs.get(staying)]).toEqual([bytes, 'another '.repeat(10_000)]);
  });

  test('a place of values that takes some and gives none back keeps nothing of what was tried', async () => {
    const s3 = await bucket();
    onTestFinished(s3.close);
    const place = placeAt(s3.endpoint);
    await storedValue();
    s3.behaviour.answer = (method, response) => method === 'GET' && Boolean(response.writeHead(403).end());
    for (let tries = 0; tries < 3; tries += 1)
      await expect(moveValue(withPlace(place), place, later)).rejects.toThrow('403');
    expect(s3.objects.size).toBe(0);
  });

  test('a folder of values that is not there is away: no value is taken for lost, and none is written into a folder that is not mounted', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'baton-values-'));
    const s3 = await bucket();
    onTestFinished(s3.close);
    for (const place of [openPlace(`file:${folder}`, {}), placeAt(s3.endpoint)]) {
      const store = withPlace(place);
      const moved = await storedValue(`moved to ${place.name} `.repeat(4_000));
      await moveValue(store, place, later);
      await rm(folder, { recursive: true, force: true });
      s3.behaviour.answer = (_, response) =>
        Boolean(response.writeHead(404).end('<Error><Code>NoSuchBucket</Code></Error>'));
      await expect(store.blobs.get(moved)).rejects.toThrow(UnavailableError);
      const staying = await storedValue(`stays out of ${place.name} `.repeat(4_000));
      await expect(moveValue(store, place, later)).rejects.toThrow(UnavailableError);
      expect(await withPlace(undefined).blobs.get(staying)).toContain('stays');
      await database.pool.query('delete from blob_use; delete from blob');
      delete s3.behaviour.answer;
    }
  });

  test('a place of values that keeps other bytes than it was given gets no value', async () => {
    const s3 = await bucket();
    onTestFinished(s3.close);
    s3.behaviour.taken = (content) => content.subarray(1);
    const place = placeAt(s3.endpoint);
    const sha256 = await storedValue();
    await expect(moveValue(database, place, later)).rejects.toThrow('does not hold what was written');
    expect(await database.blobs.get(sha256)).toBe('ü'.repeat(40_000));
    expect(s3.objects.size).toBe(0);
  });

  test('a place of values that gives other bytes later is found out, by who reads and by who verifies', async () => {
    const s3 = await bucket();
    onTestFinished(s3.close);
    const store = withPlace(placeAt(s3.endpoint));
    const sha256 = await storedValue();
    await moveValue(store, placeAt(s3.endpoint), later);
    const [path = ''] = s3.objects.keys();
    s3.objects.set(path, Buffer.from('forged'));
    await expect(store.blobs.get(sha256)).rejects.toMatchObject({ failure: { code: 'integrity-lost' } });
    s3.objects.delete(path);
    expect(await store.blobs.get(sha256)).toBeUndefined();
  });

  test('a process without the place of values says that it is missing', async () => {
    const s3 = await bucket();
    onTestFinished(s3.close);
    const sha256 = await storedValue();
    await moveValue(database, placeAt(s3.endpoint), later);
    await expect(withPlace(undefined).blobs.get(sha256)).rejects.toThrow('has no BATON_VALUES');
  });
});

test('an address of values without credentials, with a password, or of something else is refused without a part of it', () => {
  const env = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
  expect(() => openPlace('s3://bucket', {})).toThrow('needs AWS_ACCESS_KEY_ID');
  expect(() => openPlace('s3://me:hunter2@bucket', env)).toThrow(/^(?!.*hunter2).*has a user or a password/);
  expect(() => openPlace('https://bucket', env)).toThrow('neither');
  expect(() => openPlace('s3://bucket?endpoint=ftp://x', env)).toThrow('endpoint');
  expect(() => openPlace('file:relative', env)).toThrow('absolute');
});

test('a request is signed as the documentation of S3 has it', () => {
  const example = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
  const request = {
    method: 'PUT',
    url: new URL('https://examplebucket.s3.amazonaws.com/test.txt'),
    region: 'us-east-1',
    content: Buffer.from('Welcome to Amazon S3.'),
    at: Date.UTC(2013, 4, 24),
  };
  const { authorization = '', ...headers } = signedHeaders(request, example);
  expect(headers).toEqual({
    'x-amz-content-sha256': '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
    'x-amz-date': '20130524T000000Z',
  });
  expect(authorization).toContain('Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request');
});
