import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Environment } from '../environment.ts';

/** Literal paths: `npm run package` replaces each by the path in the package. */
const appUrls = {
  orchestrator: new URL('../../../orchestrator/src/main.ts', import.meta.url),
  worker: new URL('../../../worker/src/main.ts', import.meta.url),
  server: new URL('../../../server/src/main.ts', import.meta.url),
};

export type AppName = keyof typeof appUrls;

export const appFile = (name: AppName): string => fileURLToPath(appUrls[name]);

/**
 * Variables that the apps are started with, unless the user sets them. They share the command's cache of compiled code,
 * which halves their start time. Two arenas of glibc's `malloc` in place of eight for each processor: an idle
 * orchestrator takes a tenth less memory.
 */
export function startVariables(): Readonly<Record<string, string>> {
  const folder = getCompileCacheDir();
  // Node adds the last part by itself: its own version.
  return { MALLOC_ARENA_MAX: '2', ...(folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) }) };
}

/** Replaces this process by the app: signals and exit codes need no process in between. */
export function becomeApp(name: AppName, env: Environment): never {
  if (process.execve === undefined)
    throw new Error(`start it as node ${appFile(name)}: this system cannot replace a process`);
  const given = Object.fromEntries(
    Object.entries({ ...startVariables(), ...env }).filter(([, value]) => value !== undefined),
  );
  return process.execve(process.execPath, [process.execPath, ...process.execArgv, appFile(name)], given);
}
