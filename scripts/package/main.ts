/** `npm run package`: builds the npm package, and writes it as one tarball. Its path is the last line of stdout. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { bundle } from './bundle.ts';
import { bundleClient } from './client.ts';
import { commitOf } from './commit.ts';
import { packageManifest } from './manifest.ts';
import { copied } from './places.ts';
import { thirdParty } from './thirdParty.ts';
import { verifyTarball } from './verify.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const output = join(root, 'dist');
const target = join(output, 'package');
const documents = {
  'scripts/package/baton.mjs': 'bin/baton.mjs',
  'apps/cli/README.md': 'README.md',
  LICENSE: 'LICENSE',
  'CHANGELOG.md': 'CHANGELOG.md',
};
/** Neither what a run of the examples left behind, nor the page in three forms: a loopback address needs one. */
const isPacked = (path: string): boolean =>
  !/examples\/files\/(out|brief-)|dashboard\/.*\.(gz|br)$|docs\/pictures/.test(path);

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
for (const [from, to] of Object.entries({ ...copied, ...documents })) {
  if (!existsSync(join(root, from))) throw new Error(`${from} is not there: run \`node scripts/setup.mjs\`.`);
  cpSync(join(root, from), join(target, to), { recursive: true, filter: isPacked });
}
const { modules } = await bundle(root, target, { isSmall: true, commit: commitOf(root) });
const clientModules = await bundleClient(root, target);
writeFileSync(join(target, 'THIRD_PARTY.md'), thirdParty([...modules, ...clientModules]));
const manifest = packageManifest(root, readdirSync(target));
writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
const { status, stdout } = spawnSync('npm', ['pack', '--silent', '--pack-destination', output], {
  cwd: target,
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
});
if (status !== 0) process.exit(status ?? 1);
const tarball = join(output, stdout.trim().split('\n').at(-1) ?? '');
const faults = await verifyTarball(tarball);
for (const fault of faults) process.stderr.write(`${fault}\n`);
if (faults.length > 0) process.exitCode = 1;
process.stdout.write(`${tarball}\n`);
