/** What each day cost, in parts by group. */
import type { Cost } from '@baton/api/client';

import { dollarsText } from '../parts/money.ts';
import { type CostGroup, tokensOf } from './costGroups.ts';

/** Groups with a colour of their own; the others are one. */
export const colouredMax = 5;

export type Measure = 'usd' | 'tokens';

const valueOf = (cost: Cost, measure: Measure): number => (measure === 'usd' ? cost.usd : tokensOf(cost));

interface CostPlotProps {
  readonly groups: readonly CostGroup[];
  readonly days: readonly string[];
  readonly measure: Measure;
}

export function CostPlot({ groups, days, measure }: CostPlotProps) {
  const parts = groups.map(({ name, days: own }, at) => ({
    name,
    at: Math.min(at, colouredMax),
    byDay: new Map(own.map((cost) => [cost.day, cost])),
  }));
  const sumOf = (day: string): number =>
    parts.reduce((sum, { byDay }) => {
      const cost = byDay.get(day);
      return cost === undefined ? sum : sum + valueOf(cost, measure);
    }, 0);
  const most = Math.max(...days.map(sumOf), Number.MIN_VALUE);
  const [first = '', last = ''] = [days[0], days.at(-1)];
  return (
    <figure className="cost-plot">
      <div
        className="bars"
        role="img"
        aria-label={`${measure === 'usd' ? 'Dollars' : 'Tokens'} of each day, at most ${measureText(most, measure)}`}
      >
        <span className="top small faint num">{measureText(most, measure)}</span>
        {days.map((day) => {
          const shown = parts.flatMap(({ name, at, byDay }) => {
            const cost = byDay.get(day);
            const value = cost === undefined ? 0 : valueOf(cost, measure);
            return value === 0 ? [] : [{ name, at, value }];
          });
          const lines = shown.map(({ name, value }) => `${name}: ${measureText(value, measure)}`);
          return (
            <div key={day} className="bar" title={[day, ...lines].join('\n')}>
              {shown.toReversed().map(({ name, at, value }) => (
                <i key={name} className={`c-${at}`} style={{ height: `${(value / most) * 100}%` }} />
              ))}
            </div>
          );
        })}
      </div>
      <figcaption className="row faint small num axis">
        <span>{first}</span>
        <span>{last}</span>
      </figcaption>
    </figure>
  );
}

const measureText = (value: number, measure: Measure): string =>
  measure === 'usd' ? dollarsText(value) : `${Math.round(value).toLocaleString('en')} tokens`;
