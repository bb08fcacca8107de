/**
 * npm's registry on this machine (verdaccio): the release's tarball is published to it, and run by `npx` in an empty folder.
 * What Baton depends on comes through it from npm.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { freePort } from '@baton/boot';

import { type Debian, host, until } from './debian.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const version = '6.10.4';
/** A dependency of a dependency asks for a tag that is no more. */
const overrides = { 'node-fetch': '2.7.0' };

const configOf = (port: number, upstream: string): string => `storage: ./storage
listen: ${host}:${port}
auth: { htpasswd: { file: ./htpasswd, max_users: 10 } }
uplinks: { npmjs: { url: ${upstream} } }
packages:
  batonflow: { access: $all, publish: $all, unpublish: $all }
  '**': { access: $all, proxy: npmjs }
log: { type: stdout, format: json, level: warn }
`;

/** `npm run package` has made the tarball, or makes it now. */
function tarball(): string {
  const said = execFileSync(process.execPath, [join(root, 'scripts/package/main.ts')], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return said.trim().split('\n').at(-1) ?? '';
}

export async function fromRegistry(debian: Debian): Promise<string> {
  const folder = debian.newFolder('verdaccio');
  const port = await freePort();
  const registry = `http://${host}:${port}/`;
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies: { verdaccio: version }, overrides }));
  execFileSync('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'pipe' });
  const upstream = execFileSync('npm', ['config', 'get', 'registry'], { cwd: folder, encoding: 'utf8' }).trim();
  writeFileSync(join(folder, 'config.yaml'), configOf(port, upstream));
  const args = [join(folder, 'node_modules/verdaccio/bin/verdaccio'), '--config', join(folder, 'config.yaml')];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: 'ignore' });
  try {
    await until(async () => {
      const { ok } = await fetch(`${registry}-/ping`);
      if (!ok) throw new Error('the registry does not answer');
    });
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    // npm publishes with a token; this registry takes every one.
    const npmrc = join(folder, 'npmrc');
    writeFileSync(npmrc, `registry=${registry}\n//${host}:${port}/:_authToken=every\n`);
    const env = { ...process.env, npm_config_userconfig: npmrc, npm_config_cache: join(folder, 'cache') };
    const npm = (command: string, ...more: readonly string[]): string =>
      execFileSync(command, [...more], { cwd: empty, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
    npm('npm', 'publish', tarball(), '--provenance=false');
    const told = npm('npx', '--yes', 'batonflow', '--version');
    writeFileSync(join(empty, 'hello.yaml'), 'workflow: hello\nsteps:\n  - set: { done: true }\n');
    npm('npx', '--yes', 'batonflow', 'check', 'hello.yaml');
    return `published to it; \`npx batonflow --version\` in an empty folder says ${told}, and \`npx batonflow check\` passes a workflow`;
  } finally {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
}
