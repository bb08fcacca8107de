/** The rooms and files of this repository, as the tidy tests read them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Lowest first. A room imports from a lower floor; on the lower two floors, from its own as well. The server is alone on
 * its floor: it puts apps together.
 */
export const floors = ['pure', 'contract', 'adapter', 'control', 'app', 'server'] as const;

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

export const rooms: Room[] = ['apps', 'libs'].flatMap((side) =>
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

export interface Source {
  readonly path: string;
  readonly room: Room | undefined;
  readonly code: string;
  readonly imports: readonly string[];
  readonly isTest: boolean;
}

export const sources: Source[] = ['apps', 'libs', 'tests', 'bench', 'scripts']
  .flatMap((folder) => walk(join(root, folder)))
  .map((file) => {
    const path = relative(root, file);
    const code = readFileSync(file, 'utf8');
    return {
      path,
      code,
      room: rooms.find((room) => path.startsWith(`${room.path}/`)),
      imports: [...code.matchAll(/(?<!')\b(?:(?:from|import)\s+|import\(\s*)'([^'\n]+)'/g)].map(
        (match) => match[1] ?? '',
      ),
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
export const commentsOf = (code: string): string[] =>
  [...code.matchAll(/\/\*\*?[\s\S]*?\*\/|(?:^\s*\/\/.*\n)+/gm)].map(([text]) =>
    text.replaceAll(/\s*\n\s*(?:\*(?!\/)|\/\/)?\s*/g, ' '),
  );

export const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

export const isOutside = (specifier: string): boolean => !specifier.startsWith('.') && !specifier.startsWith('node:');

export const withoutComments = (code: string): string => code.replace(/^\s*(\/\*\*?|\*|\/\/).*$/gm, '');
