/** Knows which methods each address supports, to answer requests that no route serves. */
import { ProblemError } from '@baton/api';
import type { FastifyInstance } from 'fastify';

interface KnownAddress {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

export class Addresses {
  readonly #known = new Map<string, KnownAddress>();

  /** Records the routes that are registered from now on. */
  constructor(app: FastifyInstance) {
    app.addHook('onRoute', ({ url, method }) => {
      const known = this.#known.get(url) ?? { pattern: patternOf(url), methods: new Set() };
      for (const one of [method].flat()) known.methods.add(one);
      this.#known.set(url, known);
    });
  }

  /** 405 if the address supports another method, else 404. */
  problem(url: string, method: string): ProblemError {
    const path = pathIn(url);
    const fitting = [...this.#known.values()].filter(({ pattern }) => pattern.test(path));
    const methods = new Set(fitting.flatMap((known) => [...known.methods]));
    if (methods.size === 0)
      return new ProblemError('not-found', `Nothing is served at this address.${aboutNames(path)}`);
    const allow = [...methods].toSorted().join(', ');
    const detail = `${method.slice(0, 20)} is not supported at this address; ${allow} ${methods.size === 1 ? 'is' : 'are'}.`;
    return new ProblemError('method-not-allowed', detail, { headers: { allow } });
  }
}

/** For a client that wrote the name of a workflow as it is. */
const aboutNames = (path: string): string =>
  /^\/v1\/(?:workflows|schedules)\/[^/]+\/./.test(path)
    ? ' Slashes of a name are written ~ in an address, as in /v1/workflows/payments~refunds.'
    : '';

/** Without the query; also for an absolute address, as proxies get it (RFC 9112, section 3.2.2). */
export const pathIn = (url: string): string => url.replace(originForm, '').split(/[?#]/)[0] || '/';

/** The host of an absolute address; undefined for a path. */
export const authorityIn = (url: string): string | undefined => originForm.exec(url)?.[1];

const originForm = /^https?:\/\/([^/?#]*)/i;

const patternOf = (url: string): RegExp =>
  new RegExp(`^${url.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(/:\w+/g, '[^/]+')}$`);
