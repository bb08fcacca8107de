/**
 * Serves the built page: its files under names that change with their content, and one document for all its addresses.
 * The browser contacts no other host and runs only scripts of the build.
 */
import { sep } from 'node:path';

import fastifyStatic from '@fastify/static';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { App } from '../http/edge.ts';
import type { PageDocument } from './pageFiles.ts';

export interface PageOptions {
  /** The folder of the built page. */
  readonly folder: string;
  /** Undefined if it was not built. */
  readonly document: PageDocument | undefined;
}

/** The first path segments of the page's addresses. */
export const pagePaths = [
  'runs',
  'questions',
  'unknown',
  'workflows',
  'schedules',
  'servers',
  'costs',
  'audit',
  'system',
  'settings',
  'new',
  'connect',
  'device',
] as const;

const policy = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  // Images and sounds of tools are inside the answers of the API.
  `img-src 'self' data:`,
  `media-src data:`,
  `font-src 'self'`,
  `connect-src 'self'`,
  `worker-src 'self'`,
  `base-uri 'self'`,
  `form-action 'self'`,
  `frame-ancestors 'none'`,
].join('; ');

/**
 * The policy for the worker thread that checks workflows: ajv compiles schemas to code, so `unsafe-eval` is allowed
 * there; the thread has no document and can contact no host.
 */
const checkerPolicy = `default-src 'none'; script-src 'self' 'unsafe-eval'`;
const checkerFile = /[\\/]checker\.worker-[\w-]+\.js(?:\.br|\.gz)?$/;

const pageHeaders = {
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};

const yearSeconds = 365 * 24 * 3_600;

/** The file names in this folder contain a digest of their content. */
const hashedFolder = `${sep}assets${sep}`;

/**
 * Awaits nothing: a route that is registered after an await would go into the plugin that loads at that moment, under
 * its hooks.
 */
export function pageRoutes(app: App, { folder, document }: PageOptions): void {
  // The edge passes on only visits of browsers; the page itself knows its addresses.
  app.setNotFoundHandler(async (request, reply) =>
    document === undefined ? notBuilt(reply) : answer(document, request, reply.code(404)),
  );
  void app.register(async (page: App) => {
    // A route that declares its own access keeps it.
    page.addHook('onRoute', (route) => {
      route.config = { access: 'public', ...route.config };
    });
    const addresses = ['/', ...pagePaths.flatMap((path) => [`/${path}`, `/${path}/*`])];
    for (const url of addresses)
      page.get(url, async (request, reply) =>
        document === undefined ? notBuilt(reply) : answer(document, request, reply),
      );
    if (document === undefined) return;
    await page.register(fastifyStatic, {
      root: folder,
      // Registers one route per file: no other address reads from the folder.
      wildcard: false,
      index: false,
      globIgnore: ['index.html*', '**/*.br', '**/*.gz'],
      preCompressed: true,
      decorateReply: false,
      cacheControl: false,
      setHeaders: (reply, path) => {
        const isHashed = path.includes(hashedFolder);
        reply.header('cache-control', isHashed ? `public, max-age=${yearSeconds}, immutable` : 'no-cache');
        reply.header('content-security-policy', checkerFile.test(path) ? checkerPolicy : policy);
      },
    });
  });
}

function answer({ etag, bodies }: PageDocument, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers({ ...pageHeaders, 'cache-control': 'no-cache', etag, vary: 'accept-encoding' });
  const { 'if-none-match': known = '', 'accept-encoding': accepted = '' } = request.headers;
  if (reply.statusCode === 200 && known.split(',').some((one) => one.trim().replace(/^W\//, '') === etag))
    return reply.code(304).send();
  const codings = codingsIn(accepted);
  const [coding, body] = bodies.find(([one]) => one === 'identity' || codings.has(one)) ?? [];
  if (coding !== 'identity') reply.header('content-encoding', coding);
  return reply.type('text/html; charset=utf-8').send(body);
}

/** The accepted codings, without those of weight 0 (RFC 9110, section 12.5.3). */
const codingsIn = (accepted: string): ReadonlySet<string> =>
  new Set(
    accepted.split(',').flatMap((one) => {
      const [coding = '', weight = ''] = one.split(';').map((part) => part.trim().toLowerCase());
      return /^q=0(\.0*)?$/.test(weight) ? [] : [coding];
    }),
  );

const notBuilt = (reply: FastifyReply): FastifyReply =>
  reply
    .code(404)
    .headers({ 'cache-control': 'no-store' })
    .type('text/plain; charset=utf-8')
    .send('The page is not built: run `node scripts/setup.mjs`, and start again. The API reference is at /docs.\n');
