import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface EndedCommand {
  readonly code: number | null;
  readonly output: string;
}

/** A program of Baton in an environment of its own, to its end. */
export async function ended(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<EndedCommand> {
  const folder = await mkdtemp(join(tmpdir(), 'baton-operate-'));
  try {
    const child = spawn(process.execPath, [join(root, file), ...args], {
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '', HOME: folder, BATON_DATA: folder, BATON_PORT: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { code: child.exitCode, output: `${output}${errors}` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The command `baton`. Rejects with what it said where it failed. */
export async function baton(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const { code, output } = await ended('apps/cli/src/main.ts', args, env);
  if (code !== 0) throw new Error(`baton ${args.join(' ')} ended with ${code}: ${output}`);
  return output;
}
