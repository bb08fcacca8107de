import { fileURLToPath } from 'node:url';

export type AppName = 'orchestrator' | 'worker';

export const appFile = (name: AppName): string =>
  fileURLToPath(new URL(`../../../${name}/src/main.ts`, import.meta.url));

/** This process becomes that one, so that signals and exit codes are its own, with nobody in between. */
export function becomeApp(name: AppName, env: Readonly<Record<string, string | undefined>>): never {
  if (process.execve === undefined)
    throw new Error(`start it as node ${appFile(name)}: this system cannot replace a process`);
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined));
  return process.execve(process.execPath, [process.execPath, ...process.execArgv, appFile(name)], given);
}
