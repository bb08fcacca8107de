/**
 * What `FROM node:24-bookworm-slim` finds where there is no registry of images: Debian by mmdebstrap, and the Node and
 * npm that npm has as packages. Made once, and kept in node_modules/.cache.
 */
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { buildah, must } from './buildah.ts';

export const baseName = 'localhost/node:24-bookworm-slim';

const nodeVersion = '24.21.0';
const npmVersion = '11.19.1';

export function makeBase(root: string): void {
  const cache = join(root, 'node_modules/.cache/image');
  mkdirSync(cache, { recursive: true });
  const debian = join(cache, 'bookworm.tar');
  if (!existsSync(debian)) must('mmdebstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', debian]);
  const files = mkdtempSync(join(tmpdir(), 'baton-base-'));
  try {
    const container = buildah('from', 'scratch').trim();
    buildah('add', '--quiet', container, debian, '/');
    buildah('add', '--quiet', container, nodeAndNpm(files), '/usr/local');
    buildah('run', container, '--', 'useradd', '--uid', '1000', '--user-group', '--create-home', 'node');
    buildah('config', '--cmd', 'node', container);
    buildah('commit', '--quiet', '--rm', container, baseName);
  } finally {
    rmSync(files, { recursive: true });
  }
}

/** A folder as `/usr/local` has it. */
function nodeAndNpm(folder: string): string {
  const packages = join(folder, 'packages');
  mkdirSync(packages);
  writeFileSync(join(packages, 'package.json'), '{}');
  const wanted = [`node-linux-${process.arch}@${nodeVersion}`, `npm@${npmVersion}`];
  must('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', packages, ...wanted]);
  const local = join(folder, 'local');
  const from = (...path: string[]): string => join(packages, 'node_modules', ...path);
  cpSync(from(`node-linux-${process.arch}`, 'bin', 'node'), join(local, 'bin', 'node'));
  cpSync(from('npm'), join(local, 'lib', 'node_modules', 'npm'), { recursive: true });
  for (const name of ['npm', 'npx']) {
    const script = `#!/bin/sh\nexec node /usr/local/lib/node_modules/npm/bin/${name}-cli.js "$@"\n`;
    writeFileSync(join(local, 'bin', name), script);
    chmodSync(join(local, 'bin', name), 0o755);
  }
  chmodSync(join(local, 'bin', 'node'), 0o755);
  return local;
}
