/**
 * Where things lie inside of the package.
 *
 * Sources find their neighbours with `new URL('…', import.meta.url)`, which is right in the clone. In the package all
 * code is in one folder, so each such address is rewritten while bundling. One that leads to nothing in the package
 * fails the build.
 */
import { dirname, relative, resolve, sep } from 'node:path';

import type { Plugin } from 'rolldown';

/** Folder of the JavaScript inside of the package. */
export const codeFolder = 'lib';

/** What a process or a thread begins with, by the name of its file in `codeFolder`. */
export const entries: Readonly<Record<string, string>> = {
  main: 'apps/cli/src/main.ts',
  orchestrator: 'apps/orchestrator/src/main.ts',
  worker: 'apps/worker/src/main.ts',
  server: 'apps/server/src/main.ts',
  checkThread: 'libs/control/src/deploy/threads/thread.ts',
};

/** Files and folders that are copied as they are: from the root of the clone, to the root of the package. */
export const copied: Readonly<Record<string, string>> = {
  'apps/cli/src/completion': 'completion',
  'apps/cli/templates': 'templates',
  'apps/dashboard/dist': 'dashboard',
  'apps/dashboard/public/baton.svg': 'docs/icon.svg',
  'apps/orchestrator/src/docs/site.css': 'docs/site.css',
  'apps/orchestrator/src/docs/site.js': 'docs/site.js',
  docs: 'docs',
  examples: 'examples',
  prisma: 'prisma',
  schema: 'schema',
};

/** Outside of the package: `node_modules/.cache` of the folder that it is installed in. */
const beside: Readonly<Record<string, string>> = { 'node_modules/.cache/compile': '../.cache/compile' };

const addressForm = /new URL\(\s*'([^']+)',\s*import\.meta\.url\s*\)/g;

export function placesPlugin(root: string): Plugin {
  return {
    name: 'places',
    transform(code, id) {
      if (!code.includes('import.meta.url') || id.includes(`${sep}node_modules${sep}`)) return undefined;
      const rewritten = code.replaceAll(addressForm, (_, address: string) => {
        const path = relative(root, resolve(dirname(id), address)).replaceAll(sep, '/');
        const inPackage = placeOf(path);
        if (inPackage === undefined) throw new Error(`${relative(root, id)} leads to ${path}, which is not packed.`);
        return `new URL('${relative(codeFolder, inPackage).replaceAll(sep, '/')}${address.endsWith('/') ? '/' : ''}', import.meta.url)`;
      });
      // Lines stay where they are.
      return { code: rewritten, map: null };
    },
  };
}

function placeOf(path: string): string | undefined {
  const entry = Object.entries(entries).find(([, file]) => file === path);
  if (entry !== undefined) return `${codeFolder}/${entry[0]}.js`;
  for (const [from, to] of Object.entries({ ...copied, ...beside })) {
    if (path === from || path.startsWith(`${from}/`)) return to + path.slice(from.length);
  }
  return undefined;
}
