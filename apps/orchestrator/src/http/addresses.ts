/** Which methods go with which address: for what is answered where none is served. */
import { ProblemError } from '@baton/api';
import type { FastifyInstance } from 'fastify';

interface KnownAddress {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

export class Addresses {
  readonly #known = new Map<string, KnownAddress>();

  /** Watches what is served from now on. */
  constructor(app: FastifyInstance) {
    app.addHook('onRoute', ({ url, method }) => {
      const known = this.#known.get(url) ?? { pattern: patternOf(url), methods: new Set() };
      for (const one of [method].flat()) known.methods.add(one);
      this.#known.set(url, known);
    });
  }

  /** 405 where another method would be right, else 404. */
  problem(url: string, method: string): ProblemError {
    const path = pathIn(url);
    const fitting = [...this.#known.values()].filter(({ pattern }) => pattern.test(path));
    const methods = new Set(fitting.flatMap((known) => [...known.methods]));
    if (methods.size === 0) return new ProblemError('not-found', 'Nothing is served at this address.');
    const allow = [...methods].toSorted().join(', ');
    const detail = `${method.slice(0, 20)} is not served at this address; ${allow} ${methods.size === 1 ? 'is' : 'are'}.`;
    return new ProblemError('method-not-allowed', detail, { headers: { allow } });
  }
}

/** Without the query; also of an address that is written out, as to a proxy (RFC 9112, section 3.2.2). */
export const pathIn = (url: string): string => url.replace(originForm, '').split(/[?#]/)[0] || '/';

/** The host of an address that is written out; undefined of a path. */
export const authorityIn = (url: string): string | undefined => originForm.exec(url)?.[1];

const originForm = /^https?:\/\/([^/?#]*)/i;

const patternOf = (url: string): RegExp =>
  new RegExp(`^${url.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(/:\w+/g, '[^/]+')}$`);
