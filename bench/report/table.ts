/** The report for people: ratios first, then who did what, then what is durable when. */
import type { Side } from '../core/load.ts';
import { spread } from '../core/stats.ts';
import type { Figure } from './measure.ts';
import { type Ratio, isReached } from './ratios.ts';

/** Medians over the rounds. */
export type Result = Omit<Figure, 'round'> & { readonly range: readonly [min: number, max: number] };

export function resultsOf(figures: readonly Figure[]): readonly Result[] {
  const groups = Map.groupBy(figures, ({ system, backend, workload, concurrency }) =>
    [system, backend, workload, concurrency].join(' '),
  );
  return [...groups.values()].flatMap((group): Result[] => {
    const [first] = group;
    if (first === undefined) return [];
    const of = (metric: 'runsPerSecond' | 'p50Ms' | 'p99Ms' | 'cpuMsPerStep') =>
      spread(group.map((figure) => figure[metric]));
    const { system, workload, concurrency, backend } = first;
    const rate = of('runsPerSecond');
    const values = { p50Ms: of('p50Ms').value, p99Ms: of('p99Ms').value, cpuMsPerStep: of('cpuMsPerStep').value };
    return [
      {
        system,
        workload,
        concurrency,
        backend,
        runsPerSecond: rate.value,
        ...values,
        range: [rate.min, rate.max],
      },
    ];
  });
}

const number = (value: number): string => {
  if (Number.isNaN(value)) return '–';
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
};

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
}

export function report(
  ratios: readonly Ratio[],
  results: readonly Result[],
  sides: readonly Side[],
  notes: readonly string[],
): string {
  const ratioTable = table(
    ['ratio', 'median', 'range', 'target', ''],
    ratios.map((ratio) => {
      const { name, value, min, max, target, isBetterHigher } = ratio;
      const aim = target === undefined ? '' : `${isBetterHigher ? '≥' : '≤'} ${target}`;
      return [name, value.toFixed(2), `${min.toFixed(2)}–${max.toFixed(2)}`, aim, isReached(ratio) ? '' : 'missed'];
    }),
  );
  const resultTable = table(
    ['workload', 'in flight', 'system', 'on', 'per second', 'range', 'p50 ms', 'p99 ms', 'CPU ms per step'],
    results.map(({ workload, concurrency, system, backend, runsPerSecond, range, p50Ms, p99Ms, cpuMsPerStep }) => [
      workload,
      String(concurrency),
      system,
      backend,
      number(runsPerSecond),
      range.map(number).join('–'),
      number(p50Ms),
      number(p99Ms),
      number(cpuMsPerStep),
    ]),
  );
  const durable = new Map(sides.map((side) => [side.name, side.durable]));
  const durableTable = table(['system', 'what is durable when'], [...durable]);
  return [ratioTable, resultTable, durableTable, ...notes].join('\n\n');
}
