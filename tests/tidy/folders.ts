/**
 * The folders of a room are floors, as the rooms of the house are: imports go down.
 *
 * A room says their order at the end of the header of its `index.ts` (of an app: of its `main.ts`):
 *
 *   Folders, lowest first: link, failure, stdio, http.
 *
 * Files beside the folders are on no floor: the few that the whole room needs, and those that put its parts together.
 */
import { dirname, join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { commentsOf, rooms, sources } from './sources.ts';

const orders = rooms.map(({ path }) => {
  const own = sources.filter((source) => source.room?.path === path && !source.isTest);
  const door = own.find((source) => new RegExp(`^${path}/src/(?:index|main)\\.tsx?$`).test(source.path));
  const [, names] = /Folders, lowest first: ([^.]+)\./.exec(commentsOf(door?.code ?? '')[0] ?? '') ?? [];
  return {
    path,
    own,
    order: names?.split(', '),
    folders: new Set(own.flatMap((source) => folderOf(path, source.path) ?? [])),
  };
});

describe('the folders of a room', () => {
  test('every room of three folders and more says their order', () => {
    const silent = orders.filter(({ order, folders }) => order === undefined && folders.size >= 3);
    expect(silent.map(({ path }) => path)).toEqual([]);
  });

  const joined = orders.flatMap(({ order, ...room }) => (order === undefined ? [] : [{ ...room, order }]));

  test.each(joined)('$path names each of its folders', ({ order, folders }) => {
    expect(order.toSorted()).toEqual([...folders].toSorted());
  });

  test.each(joined)('No import between folders of $path goes up.', ({ path: room, own, order }) => {
    const upward = own.flatMap(({ path, imports }) =>
      imports.flatMap((specifier) => {
        const [from, to] = [path, join(dirname(path), specifier)].map((file) => folderOf(room, file));
        if (!specifier.startsWith('.') || from === undefined || to === undefined) return [];
        return order.indexOf(to) > order.indexOf(from) ? [`${path} → ${specifier}`] : [];
      }),
    );
    expect(upward).toEqual([]);
  });
});

/** The folder of a file in its room; undefined of a file beside the folders. */
function folderOf(room: string, path: string): string | undefined {
  if (!path.startsWith(`${room}/src/`)) return undefined;
  const [folder, ...inside] = path.slice(`${room}/src/`.length).split('/');
  return inside.length === 0 ? undefined : folder;
}
