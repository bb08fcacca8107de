/**
 * buildah, as it works without a daemon, a registry or namespaces of its own: isolation by chroot, layers as folders.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Everything that buildah keeps; removed by who runs the test. */
export const storage = mkdtempSync(join(tmpdir(), 'baton-images-'));

const common = ['--storage-driver', 'vfs', '--root', join(storage, 'root'), '--runroot', join(storage, 'run')];
const environment = { ...process.env, BUILDAH_ISOLATION: 'chroot' };

/** stdout; what it says beside that is shown. Throws where it fails. */
export function must(command: string, args: readonly string[]): string {
  const { status, stdout, error } = spawnSync(command, args, {
    encoding: 'utf8',
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? `exit code ${status}`}`);
  return stdout;
}

export const buildah = (...args: readonly string[]): string => must('buildah', [...common, ...args]);

/** A process in a container, which lives until it is killed. */
export const begin = (...args: readonly string[]): ChildProcess =>
  spawn('buildah', [...common, ...args], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });

/** Of all files in an image, links counted once. */
export function imageBytes(name: string): number {
  const container = buildah('from', '--pull-never', name).trim();
  const folder = buildah('mount', container).trim();
  const bytes = Number.parseInt(must('du', ['-sb', folder]), 10);
  buildah('rm', container);
  return bytes;
}
