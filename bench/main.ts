/**
 * `npm run bench`: Baton, the limits and the peers, side by side on one machine in one run. Ratios first.
 *
 *   npm run bench -- [--quick] [--json FILE] [--rounds N] [--seconds N] [--warm N] [--save] [--no-peers]
 *
 * `--quick`     fewer workloads, for less long: a quarter of an hour with the peers, most of it to warm them
 * `--warm`      seconds of load on each side before anything is measured; 20 without it. Each gets two more seconds before
 *               each of its turns
 * `--json`      writes `{ machine, results, ratios }`
 * `--save`      keeps the ratios in bench/results/ratios.json, which later runs are held against
 * `--no-peers`  Baton and the bare route alone; nothing is installed
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { commitMs } from './core/commitMs.ts';
import { machine } from './core/cpu.ts';
import type { Kind, Load, Side } from './core/load.ts';
import { parseOptions } from './core/parseOptions.ts';
import { type OpenSides, openSides } from './openSides.ts';
import { type Cell, measureRounds } from './report/measure.ts';
import { type Ratio, ratiosOf, regressions } from './report/ratios.ts';
import { report, resultsOf } from './report/table.ts';

const { values } = parseOptions({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string' },
    warm: { type: 'string' },
    save: { type: 'boolean', default: false },
    'no-peers': { type: 'boolean', default: false },
  },
});
const seconds = Number(values.seconds ?? (values.quick ? 2.5 : 6));
/** Before anything is measured: code that is not compiled yet costs two or three times as much, on every side. */
const warmSeconds = Number(values.warm ?? 20);
const warmAgainMs = 2_000;
const rounds = Number(values.rounds);
const kept = fileURLToPath(new URL('./results/ratios.json', import.meta.url));

const say = (line: string): void => void process.stderr.write(`bench: ${line}\n`);

const load = (kind: Kind, steps: number, concurrency: number, forSeconds = seconds): Load => ({
  kind,
  steps,
  concurrency,
  forMs: forSeconds * 1_000,
});

const named = (sides: readonly Side[], ...names: readonly string[]): Side[] =>
  sides.filter(({ name, backend }) => names.includes(name) || names.includes(`${name}@${backend}`));

/** What every promise in `ratios.ts` needs. */
function quickCells({ sides, routes, starts, limits }: OpenSides): Cell[] {
  return [
    { load: load('W', 3, 50), sides: [...sides, ...routes] },
    { load: load('W', 3, 1, seconds / 2), sides },
    { load: load('W', 10, 50), sides: named(sides, 'baton-queue@postgres+redis', 'floor') },
    {
      load: load('read', 10, 1, seconds / 2),
      sides: named(sides, 'baton-queue', 'baton-rest', 'baton-server', 'floor'),
    },
    { load: load('W', 3, 50, seconds / 2), sides: starts },
    { load: load('W', 1, 50, seconds / 2), sides: limits },
  ];
}

function fullCells({ sides, routes, starts, limits }: OpenSides): Cell[] {
  const flights = [1, 10, 50];
  return [
    ...[1, 3, 10].flatMap((steps) =>
      flights.map((inFlight) => ({
        load: load('W', steps, inFlight),
        sides: steps === 3 && inFlight === 50 ? [...sides, ...routes] : sides,
      })),
    ),
    ...[1, 3, 10].map((steps) => ({ load: load('W0', steps, 50), sides })),
    { load: load('read', 10, 1), sides: named(sides, 'baton-queue', 'baton-rest', 'baton-server', 'floor') },
    { load: load('W', 3, 50), sides: starts },
    ...flights.map((inFlight) => ({ load: load('W', 1, inFlight), sides: limits })),
  ];
}

/** What a script of its own measures, in a process of its own. */
function ratiosOfScript(script: string, folder: string, args: readonly string[]): Ratio[] {
  const file = join(folder, `${script}.json`);
  const path = fileURLToPath(new URL(`./${script}.ts`, import.meta.url));
  const { status } = spawnSync(process.execPath, [path, ...args, '--json', file], { stdio: ['ignore', 'ignore', 2] });
  return status === 0 ? (JSON.parse(readFileSync(file, 'utf8')) as { ratios: Ratio[] }).ratios : [];
}

/** Calls through the pool beside the bare client. */
function sessionRatios(folder: string): Ratio[] {
  const targets: Record<string, number> = { 'session.stdio.vsBareClient': 0.9, 'session.http.vsStockClient': 1 };
  return ratiosOfScript('sessions', folder, values.quick ? ['--quick'] : []).flatMap((ratio) => {
    const name = ratio.name.replace(/\.c64$/, '');
    const target = targets[name];
    return target === undefined ? [] : [{ ...ratio, name, target, isBetterHigher: true }];
  });
}

/** A million runs take their time to be made: not for a quick look. */
const growthRatios = (folder: string): Ratio[] =>
  values.quick ? [] : [...ratiosOfScript('growth', folder, []), ...ratiosOfScript('forEach', folder, [])];

/** Items that are runs of their own, beside plain runs. */
const distributedRatios = (folder: string): Ratio[] =>
  ratiosOfScript('distributed', folder, values.quick ? ['--counts', '1000', '--rounds', '2', '--seconds', '2'] : []);

/** A small run of one key beside three hundred large ones of another; not for a quick look. */
const fairRatios = (folder: string): Ratio[] => (values.quick ? [] : ratiosOfScript('fair', folder, []));

/** A quick look sees code that is less compiled: its ratios are held against those of quick looks. */
type SavedRatios = Partial<Record<'quick' | 'full', Record<string, number>>>;
const mode = values.quick ? 'quick' : 'full';

const stored = (): SavedRatios => {
  try {
    return JSON.parse(readFileSync(kept, 'utf8')) as SavedRatios;
  } catch {
    return {};
  }
};

// A process that ends when this one exits also ends when this one is told to stop.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const about = machine();
const opened = await openSides({ hasPeers: !values['no-peers'], say });
try {
  const commit = commitMs(opened.folder);
  const { sides, routes, starts, limits, notes } = opened;
  const others = [...starts, ...limits];
  const warming = [
    { load: load('W', 3, 50, warmSeconds), sides: [...sides, ...routes] },
    { load: load('W', 1, 50, warmSeconds / 4), sides: others },
  ];
  await measureRounds(warming, { rounds: 1 }, () => say('warm'));
  const cells = (values.quick ? quickCells : fullCells)(opened);
  const figures = await measureRounds(cells, { rounds, warmAgainMs }, say);
  const results = resultsOf(figures);
  const ratios = [
    ...ratiosOf(figures),
    ...sessionRatios(opened.folder),
    ...growthRatios(opened.folder),
    ...distributedRatios(opened.folder),
    ...fairRatios(opened.folder),
    ...ratiosOfScript('cli', opened.folder, []),
  ];
  const loads = `Load average ${String(about['loadAtStart'])} at the start, ${(loadavg()[0] ?? 0).toFixed(2)} at the end, on ${String(about['processors'])} processors.`;
  const disk = `commit.ms ${commit.p50} at p50, ${commit.p90} at p90, ${commit.p99} at p99: what the disk takes for a page. Every figure that waits for commits depends on it.`;
  console.log(report(ratios, results, [...sides, ...routes, ...others], [...notes, loads, disk]));
  const before = stored();
  const worse = regressions(ratios, before[mode] ?? {});
  for (const one of worse) console.log(`\nworse than stored by more than 15 %: ${one}`);
  if (values.json !== undefined) {
    const shown = ratios.map(({ name, value, min, max }) => ({ name, value, min, max }));
    writeFileSync(
      values.json,
      `${JSON.stringify({ machine: { ...about, commitMs: commit }, results, ratios: shown }, null, 2)}\n`,
    );
  }
  if (values.save) {
    const all = ratios.map(({ name, value }) => [name, Number(value.toFixed(3))] as const);
    const now = { ...before, [mode]: { ...before[mode], ...Object.fromEntries(all) } };
    writeFileSync(kept, `${JSON.stringify(now, null, 2)}\n`);
  }
} finally {
  await opened.close();
}
