import type { Environment } from '../client/address.ts';
import { packageName } from '../version.ts';

/** How the command was typed, for hints that are typed next: a package of a project is on no PATH. */
export function commandName({ npm_command: command, npm_lifecycle_script: script = '' }: Environment): string {
  if (command !== 'exec') return 'baton';
  return new RegExp(`^["']?${packageName}\\b`).test(script) ? `npx ${packageName}` : 'npx baton';
}
