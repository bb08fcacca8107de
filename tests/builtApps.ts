/**
 * The apps as one bundle, as the package has them. A process of the bundle starts with a third of the CPU that its sources
 * take, and tests start hundreds.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { type BundleOptions, bundle } from '../scripts/package/bundle.ts';
import { codeFolder, copied } from '../scripts/package/places.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const builds = join(root, 'node_modules', '.cache', 'apps');
const hourMs = 3_600_000;

/** Processes that tests start beside the apps. */
const processesOfTests = {
  mortalWorker: 'tests/faults/mortalMain.ts',
};

/** What scripts of tests import (`scriptModule`): their sources take a second of CPU in each process. */
const modulesOfScripts = {
  endProcess: 'libs/boot/src/process/endProcess.ts',
  folderLock: 'libs/boot/src/process/folderLock.ts',
  knownSecrets: 'libs/runner/src/redact/knownSecrets.ts',
  lifecycle: 'libs/boot/src/process/lifecycle.ts',
  logger: 'libs/boot/src/telemetry/logger.ts',
  orphans: 'libs/boot/src/orphans/orphans.ts',
  startPostgres: 'libs/boot/src/postgres/startPostgres.ts',
  startService: 'libs/boot/src/process/startService.ts',
  supervisor: 'libs/boot/src/process/supervisor.ts',
};

/**
 * Resolves to the folder of the bundled code. It says what it was built from: two runs of different sources do not meet
 * in it. `isSmall`: as it is published.
 */
export async function build({ isSmall }: Pick<BundleOptions, 'isSmall'> = { isSmall: false }): Promise<string> {
  const sources = ['apps', 'libs', 'scripts/package', 'tests/faults', 'package-lock.json', ...copiedHere()];
  const version = Math.max(...sources.map((path) => newestMs(path)));
  const target = join(builds, isSmall ? `${version}-small` : String(version));
  if (!existsSync(target)) {
    removeOld();
    const unfinished = `${target}-${process.pid}`;
    mkdirSync(unfinished, { recursive: true });
    // As in the package. Without it, Node reads each file twice to find out that it is a module.
    writeFileSync(join(unfinished, 'package.json'), JSON.stringify({ type: 'module' }));
    await bundle(root, unfinished, { isSmall, more: { ...processesOfTests, ...modulesOfScripts } });
    for (const from of copiedHere())
      cpSync(join(root, from), join(unfinished, copied[from] ?? from), { recursive: true });
    // Another run may have been quicker.
    if (existsSync(target)) rmSync(unfinished, { recursive: true });
    else renameSync(unfinished, target);
  }
  return join(target, codeFolder);
}

/** Without the page where it was not built: no test but the page's own needs it. */
const copiedHere = (): string[] => Object.keys(copied).filter((path) => existsSync(join(root, path)));

/** When a source below it was changed last. Tests are not part of the apps, and the page is built before. */
function newestMs(path: string): number {
  const own = statSync(join(root, path));
  if (!own.isDirectory()) return own.mtimeMs;
  const below = readdirSync(join(root, path), { withFileTypes: true }).filter(
    ({ name }) => !['node_modules', 'dist', 'dashboard'].includes(name) && !name.endsWith('.test.ts'),
  );
  return Math.max(0, ...below.map(({ name }) => newestMs(join(path, name))));
}

function removeOld(): void {
  if (!existsSync(builds)) return;
  for (const name of readdirSync(builds)) {
    const folder = join(builds, name);
    if (statSync(folder).mtimeMs < Date.now() - hourMs) rmSync(folder, { recursive: true, force: true });
  }
}
