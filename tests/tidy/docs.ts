/** The pages say what is true, and a stranger understands them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { riddleWords } from '../riddleWords.ts';
import { commentsOf, rooms, root, sources } from './sources.ts';

const pagesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `${folder}/${file}`);

describe('the pages agree with the code', () => {
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

  test('CONTRIBUTING.md leads each change to files that are there', () => {
    const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
    const table = /\| a new \|[^]*?\n\n/.exec(page)?.[0] ?? '';
    const rows = table.trim().split('\n').slice(2);
    expect(rows).toHaveLength(11);
    const pathsIn = (row: string): string[] => [...row.matchAll(/`([\w-]+\/[^`\s]+)`/g)].map(([, path = '']) => path);
    expect(rows.filter((row) => pathsIn(row).length < 2)).toEqual([]);
    expect(rows.flatMap(pathsIn).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test('code cites each invariant of docs/architecture.md', () => {
    const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
    const invariants = [...page.matchAll(/^- \*\*(I\d) /gm)].map(([, name = '']) => name);
    expect(invariants).toEqual(['I1', 'I2', 'I3', 'I4', 'I5', 'I6', 'I7']);
    const code = sources.filter(({ room, isTest }) => room !== undefined && !isTest).map((source) => source.code);
    expect(invariants.filter((name) => !code.some((text) => new RegExp(`\\b${name}\\b`).test(text)))).toEqual([]);
  });

  test('docs/architecture.md names every room', () => {
    const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
    expect(rooms.filter(({ path }) => !page.includes(path.split('/')[1] ?? path)).map(({ path }) => path)).toEqual([]);
  });
});

test('a file of this repository that code, a page or the schema names is there', () => {
  const texts = [
    ...sources.map(({ path, code }) => ({ path, text: commentsOf(code).join('\n') })),
    ...['README.md', 'AGENTS.md', 'CONTRIBUTING.md', 'prisma/schema.prisma', ...pagesIn('docs')].map((path) => ({
      path,
      text: readFileSync(join(root, path), 'utf8'),
    })),
  ];
  const missing = texts.flatMap(({ path, text }) =>
    [...text.matchAll(/\b(?:apps|libs|tests|scripts|bench)\/[\w/.-]+\.(?:tsx?|mjs|prisma)\b/g)]
      .filter(([file]) => !existsSync(join(root, file)))
      .map(([file]) => `${path}: ${file}`),
  );
  expect(missing).toEqual([]);
});

test('decisions are counted, each by a number of its own', () => {
  const numbers = readdirSync(join(root, 'docs/decisions')).map((file) => Number(file.slice(0, 4)));
  expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers.map((_, at) => at + 1));
});

test('docs/glossary.md: each word is in the file that defines it', () => {
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

  const pages = pagesIn('docs').filter((file) => !quoting.test(file));

  test.each(['README.md', ...pages])('%s', (file) => {
    const lines = prose(readFileSync(join(root, file), 'utf8'));
    expect(lines.filter((line) => riddleWords.test(line))).toEqual([]);
  });

  /** Words of others, which tests pass on as data. */
  const quoted = /It is a secret to everybody|Somebody should look|so somebody should ask|whatever: /;

  test('code: messages, comments, and titles of tests', () => {
    const spoken = sources.filter(({ path }) => !/^tests\/riddleWords\.ts$|^scripts\/test\.mjs$/.test(path));
    const found = spoken.flatMap(({ path, code }) =>
      code
        .split('\n')
        .filter((line) => riddleWords.test(line) && !quoted.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
    expect(spoken.length).toBeGreaterThan(1_000);
    expect(found).toEqual([]);
  });
});

describe('a page is found, and begins with an example', () => {
  const pages = pagesIn('docs');

  /** As GitHub makes it of a heading. */
  const anchorOf = (heading: string): string =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-');

  const linksIn = (page: string): string[] =>
    [...page.replaceAll(/```.*?```|`[^`\n]*`/gs, '').matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !/^[a-z]+:/.test(link));

  test.each(['README.md', 'CONTRIBUTING.md', 'AGENTS.md', 'SECURITY.md', ...pages])(
    '%s links to what exists',
    (file) => {
      const broken = linksIn(readFileSync(join(root, file), 'utf8')).filter((link) => {
        const [path = '', anchor] = link.split('#');
        const target = path === '' ? join(root, file) : join(root, dirname(file), path);
        if (!existsSync(target)) return true;
        if (anchor === undefined) return false;
        const headings = [...readFileSync(target, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
        return !headings.map(anchorOf).includes(anchor);
      });
      expect(broken).toEqual([]);
    },
  );

  test('docs/README.md leads to every page', () => {
    const index = linksIn(readFileSync(join(root, 'docs/README.md'), 'utf8'));
    const reached = pages.filter((page) => !/decisions\/|docs\/README\.md/.test(page));
    expect(reached.filter((page) => !index.includes(page.slice('docs/'.length)))).toEqual([]);
  });

  /** An index, and tables that are generated or looked up. */
  const lookedUp = /^docs\/(README\.md|glossary\.md|seeds\.md|decisions\/|reference\/(?!server-faults))/;

  test.each(['README.md', ...pages.filter((page) => !lookedUp.test(page))])('%s begins with an example', (file) => {
    const beginning = readFileSync(join(root, file), 'utf8').split('\n').slice(0, 15).join('\n');
    expect(beginning).toMatch(/```/);
  });

  test('a release has at most thirty lines, under Added, Changed, Fixed and Security', () => {
    const [, unreleased = '', ...releases] = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^## /m);
    expect(unreleased).toMatch(/^Unreleased\n/);
    const long = releases.filter((release) => release.split('\n').filter((line) => line !== '').length > 30);
    expect(long.map((release) => release.split('\n')[0])).toEqual([]);
    const headings = [unreleased, ...releases].flatMap((release) => release.match(/^### .*/gm) ?? []);
    expect(headings.filter((heading) => !/^### (?:Added|Changed|Fixed|Security)$/.test(heading))).toEqual([]);
  });
});
