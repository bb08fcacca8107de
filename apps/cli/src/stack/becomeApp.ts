import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Literal paths: `npm run package` replaces each by the path in the package. */
const appUrls = {
  orchestrator: new URL('../../../orchestrator/src/main.ts', import.meta.url),
  worker: new URL('../../../worker/src/main.ts', import.meta.url),
};

export type AppName = keyof typeof appUrls;

export const appFile = (name: AppName): string => fileURLToPath(appUrls[name]);

/**
 * A setting for the environment of the apps: they share the command's cache of compiled code, which halves their start
 * time.
 */
export function compileCacheSetting(): { readonly NODE_COMPILE_CACHE?: string } {
  const folder = getCompileCacheDir();
  // Node adds the last part by itself: its own version.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

/** Replaces this process by the app: signals and exit codes need no process in between. */
export function becomeApp(name: AppName, env: Readonly<Record<string, string | undefined>>): never {
  if (process.execve === undefined)
    throw new Error(`start it as node ${appFile(name)}: this system cannot replace a process`);
  const given = Object.fromEntries(
    Object.entries({ ...compileCacheSetting(), ...env }).filter(([, value]) => value !== undefined),
  );
  return process.execve(process.execPath, [process.execPath, ...process.execArgv, appFile(name)], given);
}
