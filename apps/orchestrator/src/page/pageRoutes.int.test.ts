import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gzipSync } from 'node:zlib';

import { routes } from '@baton/api';
import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { type TestApp, openTestApp } from '../testing/testApp.ts';
import { pagePaths } from './pageRoutes.ts';

const document = '<!doctype html><base href="/" /><script type="module" src="./assets/app-1a2b.js"></script>';
const script = `console.log(${JSON.stringify('x'.repeat(2_000))})`;

let store: FreshStore;
let folder: string;
let app: TestApp;

beforeAll(async () => {
  store = await freshStore();
  folder = await mkdtemp(join(tmpdir(), 'baton-page-'));
  await mkdir(join(folder, 'assets'));
  const files = {
    'index.html': document,
    'index.html.br': 'not this one: it does not know the path',
    'baton.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'assets/app-1a2b.js': script,
    'assets/app-1a2b.js.br': brotliCompressSync(script),
    'assets/app-1a2b.js.gz': gzipSync(script),
    'assets/checker.worker-3c_4d.js': script,
    'assets/checker.worker-3c_4d.js.br': brotliCompressSync(script),
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  app = await openTestApp(store, store.url, { parts: { pageFolder: folder } });
});

afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true });
  await store.close();
});

const get = (url: string, headers: Record<string, string> = {}, from = app) =>
  from.app.inject({ method: 'GET', url, headers: { host: '127.0.0.1', ...headers } });

describe('the API beside the page', () => {
  // Metrics have a setting for who may read them.
  const guarded = Object.values(routes).filter(({ access, path }) => access !== 'public' && path.startsWith('/v1/'));
  test.each(guarded)('$name asks for a key', async ({ method, path }) => {
    const url = path.replaceAll(/:\w+/g, '1');
    const answer = await app.app.inject({ method, url, headers: { host: '127.0.0.1' } });
    expect(answer.statusCode).toBe(401);
  });
});

describe('the page', () => {
  test('Each address that the page draws is answered with the page, and no address has it that the page does not draw.', async () => {
    const source = await readFile(new URL('../../../dashboard/src/app.tsx', import.meta.url), 'utf8');
    const drawn = new Set([...source.matchAll(/<Route path="\/(\w+)/g)].map(([, path = '']) => path));
    expect([...drawn].toSorted()).toEqual([...pagePaths].toSorted());
    for (const path of drawn) expect([path, (await get(`/${path}`)).statusCode]).toEqual([path, 200]);
  });

  test('is one document at all its addresses, without a log-in, and runs only scripts that were built with it', async () => {
    for (const path of ['/', '/runs', '/runs/01a2', '/workflows/x/edit', '/new', '/questions', '/settings']) {
      const answer = await get(path);
      expect([path, answer.statusCode, answer.body]).toEqual([path, 200, document]);
    }
    const { headers } = await get('/runs');
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain(`default-src 'none'`);
    expect(policy).toContain(`frame-ancestors 'none'`);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
  });

  test('is not served at other addresses', async () => {
    for (const path of ['/v1/none', '/hooks', '/index.html', '/none', '/assets/none.js', '/assets/app-1a2b.js.br'])
      expect([path, (await get(path)).headers['content-type']]).toEqual([
        path,
        expect.stringContaining('application/problem+json'),
      ]);
    expect((await get('/assets/../index.html')).body).not.toContain('doctype');
    expect((await get('/assets/..%2f..%2fpackage.json')).statusCode).toBe(404);
    expect((await get('/docs')).body).toContain('Search the docs');
  });

  test('answers an unknown address that a person opened in a browser', async () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
    for (const path of ['/none', '/runz/01a2', '/assets/none.js'])
      expect([path, await get(path, { accept, 'if-none-match': '*' })]).toMatchObject([
        path,
        { statusCode: 404, body: document },
      ]);
    const api = await get('/v1/none', { accept });
    expect([api.statusCode, api.headers['content-type']]).toEqual([401, 'application/problem+json; charset=utf-8']);
  });

  test('is sent again only if it has changed, in a coding that the browser accepts', async () => {
    const { etag } = (await get('/')).headers;
    expect(await get('/', { 'if-none-match': `W/${String(etag)}` })).toMatchObject({ statusCode: 304, body: '' });
    const br = await get('/', { 'accept-encoding': 'gzip, br' });
    expect(br.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding', etag });
    expect(brotliDecompressSync(br.rawPayload).toString()).toBe(document);
    expect((await get('/', { 'accept-encoding': 'gzip, br;q=0' })).headers['content-encoding']).toBe('gzip');
    expect((await get('/', { 'accept-encoding': 'zstd' })).headers['content-encoding']).toBeUndefined();
  });

  test('has files whose names say what is in them: kept for ever, and sent as they were compressed', async () => {
    const { headers, rawPayload } = await get('/assets/app-1a2b.js', { 'accept-encoding': 'gzip, deflate, br' });
    expect(headers).toMatchObject({
      'content-encoding': 'br',
      'content-type': expect.stringContaining('/javascript'),
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
    expect(brotliDecompressSync(rawPayload).toString()).toBe(script);
    expect((await get('/assets/app-1a2b.js')).body).toBe(script);
    expect((await get('/baton.svg')).headers['cache-control']).toBe('no-cache');
  });

  test('works under a path, whether or not the proxy takes it off', async () => {
    const parts = { pageFolder: folder, publicUrl: 'https://127.0.0.1/deep/' };
    const deep = await openTestApp(store, store.url, { parts });
    onTestFinished(() => deep.close());
    for (const path of ['/deep', '/deep/', '/deep/runs', '/runs'])
      expect((await get(path, {}, deep)).body).toContain('<base href="/deep/" />');
    expect((await get('/deep/assets/app-1a2b.js', {}, deep)).body).toBe(script);
    expect((await get('/deeper/runs', {}, deep)).statusCode).toBe(404);
    expect((await get('/deep/v1/runs', {}, deep)).statusCode).toBe(401);
    expect((await get('/deep/healthz', {}, deep)).statusCode).toBe(200);
  });

  test('that was not built says how to build it', async () => {
    const bare = await openTestApp(store, store.url, { parts: { pageFolder: join(folder, 'none') } });
    onTestFinished(() => bare.close());
    const answer = await get('/', {}, bare);
    expect(answer.statusCode).toBe(404);
    expect(answer.body).toMatch(/^The page is not built: run `node scripts\/setup.mjs`.*\n$/);
  });

  test('lets the thread of the checker generate code, and contact no address', async () => {
    for (const accepted of ['br', 'identity']) {
      const { headers } = await get('/assets/checker.worker-3c_4d.js', { 'accept-encoding': accepted });
      expect(headers['content-security-policy']).toBe(`default-src 'none'; script-src 'self' 'unsafe-eval'`);
    }
    expect((await get('/assets/app-1a2b.js')).headers['content-security-policy']).not.toContain('unsafe-eval');
  });
});
