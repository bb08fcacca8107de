/**
 * `npm run release -- <version>`: everything but publishing. Sets the version, packs and verifies, writes the SBOM, and
 * says what to do last.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const [version = ''] = process.argv.slice(2);

function fail(message: string): never {
  process.stderr.write(`error: ${message}\n`);
  process.exit(2);
}

function run(command: string, args: readonly string[]): string {
  const { status, stdout } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) fail(`${command} ${args.join(' ')} failed with exit code ${status}.`);
  return stdout.trim();
}

if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) fail('name the version: npm run release -- 1.2.3');
if (run('git', ['status', '--porcelain']) !== '') fail('the working tree is not clean: commit first.');
if (!readFileSync(join(root, 'CHANGELOG.md'), 'utf8').includes(version))
  fail(`CHANGELOG.md says nothing of ${version}: write what it brings, in the words of its users.`);
// Each process tells the version of its app: to the API, to the list of workers, to MCP servers.
for (const app of readdirSync(join(root, 'apps'))) {
  const manifest = join(root, 'apps', app, 'package.json');
  const text = readFileSync(manifest, 'utf8');
  writeFileSync(manifest, text.replace(/"version": "[^"]+"/, `"version": "${version}"`));
}
const tarball =
  run(process.execPath, [join(root, 'scripts/package/main.ts')])
    .split('\n')
    .at(-1) ?? '';
const bill = tarball.replace(/\.tgz$/, '.cdx.json');
writeFileSync(bill, run('npm', ['sbom', '--omit', 'dev', '--sbom-format', 'cyclonedx']));
process.stdout.write(`${relative(root, tarball)}\n${relative(root, bill)}\n`);
process.stdout.write(
  `Commit apps/*/package.json, tag v${version}, and then:\n  push the tag: .github/workflows/release.yml publishes it, with the provenance that ties it to this commit.\n`,
);
