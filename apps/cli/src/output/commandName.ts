import type { Environment } from '../environment.ts';
import { packageName } from '../version.ts';

/** The command as the user types it, for hints: a package of a project is not on the PATH. */
export function commandName({ npm_command: command, npm_lifecycle_script: script = '' }: Environment): string {
  if (command !== 'exec') return 'baton';
  return new RegExp(`^["']?${packageName}\\b`).test(script) ? `npx ${packageName}` : 'npx baton';
}
