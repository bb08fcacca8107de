/** Sizes, names, and what no file contains. */
import { describe, expect, test } from 'vitest';

import { type Source, sources, withoutComments } from './sources.ts';

const banned = [
  {
    in: /^libs\/(language|engine|import|learn)\/src\/(?!.*\.test\.ts)/,
    word: /\bawait [\w(`]|Date\.now|performance\.now|Math\.random|from 'node:/,
    why: 'pure rooms do no I/O and have no clock',
  },
  {
    in: /^(?!libs\/testing\/)(apps|libs)\/(?!.*(\/main|\/(orchestrator|worker|server)Process|\.test)\.ts$)/,
    word: /process\.env\b/,
    why: 'settings arrive as arguments; the first file of an app reads them',
  },
  { in: /^(apps|libs)\/(?!.*\.test\.ts)/, word: /\bexport \* from/, why: 'an index names what it hands out' },
  { in: /^(apps|libs)\//, word: /\b(TODO|FIXME|XXX)\b/, why: 'do it, or write it into an issue' },
  { in: /^(apps|libs|tests)\//, word: /@ts-ignore|\bas any\b/, why: 'types are not argued with' },
  {
    in: /^(apps|libs|tests|scripts)\//,
    word: /registry\.npmjs\.org|\/work\/main|\/root\//,
    why: 'no hosts, no machine paths',
  },
];

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

  test('a property test begins with its goal and its method', () => {
    const properties = sources.filter(({ path, code }) => path.endsWith('.test.ts') && /\bfc\.assert\(/.test(code));
    expect(properties.length).toBeGreaterThan(20);
    expect(properties.filter(({ code }) => !/Goal: [^]*Method: /.test(code)).map(({ path }) => path)).toEqual([]);
  });

  test('none is a drawer', () => {
    const drawer = /(^|\/)(utils?|helpers?|common|shared|misc|lib|types|interfaces|constants)(\.tsx?$|\/)/;
    expect(sources.filter(({ path }) => drawer.test(path)).map(({ path }) => path)).toEqual([]);
  });

  test.each(banned)('$why', ({ in: where, word }) => {
    const found = sources
      .filter(({ path }) => where.test(path) && !path.startsWith('tests/tidy/'))
      .flatMap(({ path, code }) => {
        const match = word.exec(/TODO/.test(word.source) ? code : withoutComments(code));
        return match === null ? [] : [`${path}: ${match[0]}`];
      });
    expect(found).toEqual([]);
  });
});
