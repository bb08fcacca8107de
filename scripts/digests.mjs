/**
 * Writes the digests that package-lock.json lacks: `node scripts/digests.mjs`. npm leaves out the `integrity` of
 * optional packages for other platforms than the one it runs on; there, nothing would hold what is installed to what
 * was reviewed. Asks the registry through npm, only about packages that the lock file already names.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const files = ['../package-lock.json', 'node/package-lock.json'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

for (const file of files) {
  const lock = JSON.parse(readFileSync(file, 'utf8'));
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (!path.includes('node_modules/') || entry.link || entry.integrity) continue;
    const name = entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const integrity = execFileSync('npm', ['view', `${name}@${entry.version}`, 'dist.integrity', '--loglevel=error'], {
      encoding: 'utf8',
    }).trim();
    if (!integrity.startsWith('sha512-')) throw new Error(`${name}@${entry.version}: no SHA-512 digest is published`);
    lock.packages[path] = { version: entry.version, integrity, ...entry };
    console.log(`${name}@${entry.version}`);
  }
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
}
