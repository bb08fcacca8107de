/** Serves the docs at /docs, rendered from docs/*.md on the first request. The browser contacts no other host. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { FastifyReply, FastifyRequest } from 'fastify';

import type { App } from '../http/edge.ts';
import type { DocsFile } from './docsSite.ts';

export interface DocsRoutesOptions {
  /** The folder of the Markdown files. */
  readonly folder: string;
  /** The path prefix of the installation. */
  readonly basePath: string;
}

/** No `unsafe-…`: the script and the style are files. */
const policy = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `img-src 'self'`,
  `connect-src 'self'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

const pictureName = /^pictures\/[\w-]+\.png$/;

export function docsRoutes(app: App, { folder, basePath }: DocsRoutesOptions): void {
  let site: Promise<ReadonlyMap<string, DocsFile>> | undefined;
  const opened = (): Promise<ReadonlyMap<string, DocsFile>> =>
    (site ??= import('./docsSite.ts').then(({ docsSite }) => docsSite({ folder, base: `${basePath}/docs` })));
  const answer = async (path: string, request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const file = (await opened()).get(path.replace(/\/$/, '')) ?? (await picture(folder, path));
    if (file === undefined) return reply.callNotFound();
    const { type, body } = file;
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    reply.headers({
      'content-security-policy': policy,
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
      etag,
    });
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    return reply.type(type).send(body);
  };
  void app.register(async (page: App) => {
    page.addHook('onRoute', (route) => {
      route.config = { access: 'public', ...route.config };
    });
    page.get('/docs', async (request, reply) => answer('', request, reply));
    page.get<{ Params: { '*': string } }>('/docs/*', async (request, reply) =>
      answer(request.params['*'], request, reply),
    );
    page.get('/llms.txt', async (request, reply) => answer('llms.txt', request, reply));
  });
}

/** Reads a picture of the docs; undefined in the npm package, which has none. */
async function picture(folder: string, path: string): Promise<{ type: string; body: Buffer } | undefined> {
  if (!pictureName.test(path)) return undefined;
  const body = await readFile(join(folder, path)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return body && { type: 'image/png', body };
}
