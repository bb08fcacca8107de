/** Processes of any clone of Baton, on one database. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface StartedApp {
  /** What it told when it was ready. */
  readonly ready: Readonly<Record<string, unknown>>;
  /** Asked to stop, it has `SHUTDOWN_GRACE`. Resolves when it is gone. */
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** `clone`: the folder of its sources. Resolves when it is ready; rejects with what it wrote where it ends before. */
export async function startApp(
  clone: string,
  name: 'orchestrator' | 'worker' | 'server',
  env: Readonly<Record<string, string>>,
): Promise<StartedApp> {
  const child = spawn(process.execPath, [join(clone, 'apps', name, 'src', 'main.ts')], {
    cwd: clone,
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  running.add(child);
  let written = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (written += chunk.toString()));
  const gone = once(child, 'exit').then(() => void running.delete(child));
  const ready = await Promise.race([
    once(child, 'message').then(([message]: unknown[]) => message as Readonly<Record<string, unknown>>),
    gone.then(() => Promise.reject(new Error(`the ${name} of ${clone} did not start:\n${written}`))),
  ]);
  if (ready['ready'] !== true) throw new Error(`the ${name} of ${clone} did not start: ${JSON.stringify(ready)}`);
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await gone;
  };
  return { ready, stop };
}
