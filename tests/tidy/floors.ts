/** Rooms import downwards, without circles, and through each other's index. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { floors, packageOf, rooms, root, sources } from './sources.ts';

describe('the floors', () => {
  test('every room says which floor it is on', () => {
    expect(rooms.filter(({ floor }) => floor < 0).map(({ path }) => path)).toEqual([]);
  });

  test('Only apps/server may import other apps', () => {
    const above = rooms.filter(({ floor }) => floor > floors.indexOf('app'));
    expect(above.map(({ path }) => path)).toEqual(['apps/server']);
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

  test('the page imports the contract and pure rooms, and no other room', () => {
    const page = sources.filter(({ room, isTest }) => room?.path === 'apps/dashboard' && !isTest);
    const ours = new Set(
      page.flatMap(({ imports }) => imports.map(packageOf)).filter((one) => one.startsWith('@baton/')),
    );
    expect(page.length).toBeGreaterThan(40);
    expect(
      [...ours].filter((one) => !/^@baton\/(?:api|editor-service|engine|expressions|language|primitives)$/.test(one)),
    ).toEqual([]);
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

  test('nor through an import that is made later, which the linter does not count', () => {
    const edges = new Map(sources.map(({ path, imports }) => [path, targetsOf(path, imports)]));
    expect(edges.get('apps/cli/src/program.ts')).toContain('apps/cli/src/commands.ts');
    expect(circlesIn(edges)).toEqual([]);
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

/** Files that the imports of a file name. */
function targetsOf(path: string, imports: readonly string[]): readonly string[] {
  return imports.filter((one) => one.startsWith('.')).map((one) => join(dirname(path), one));
}

/** Files that lead to each other: what stays when files without imports, and files that nothing imports, are taken away. */
function circlesIn(edges: ReadonlyMap<string, readonly string[]>): string[] {
  const left = new Map([...edges].map(([path, to]) => [path, to.filter((one) => edges.has(one))]));
  for (let before = -1; before !== left.size;) {
    before = left.size;
    for (const [path, to] of left) if (!to.some((one) => left.has(one))) left.delete(path);
    const imported = new Set([...left.values()].flat());
    for (const path of left.keys()) if (!imported.has(path)) left.delete(path);
  }
  return [...left.keys()];
}

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
