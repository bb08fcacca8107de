/** How many bars the picture above the runs has, and where it begins. */
import type { Histogram } from '@baton/api/client';

import { dayMs } from '../parts/time.ts';

const hourMs = dayMs / 24;
const minuteMs = hourMs / 60;

/** Minutes of a bar. */
const widths = [1, 5, 15, 60, 180, 360, 720, 1_440];
const barsMax = 60;
/** Of the API. */
const bucketsMax = 200;

/** As many as fit, each of whole minutes or hours: a day has 24. */
export function barsOf({ from, to }: { readonly from: number; readonly to: number }): number {
  const minutes = Math.max(1, (to - from) / minuteMs);
  const width = widths.find((each) => minutes / each <= barsMax) ?? 1_440;
  return Math.min(bucketsMax, Math.ceil(minutes / width));
}

/** Where the picture begins if most of it has no run: the hour of the first one. */
export function beginOf({ from, data }: Pick<Histogram, 'from' | 'data'>): number | undefined {
  const first = data.findIndex(({ counts }) => runsIn(counts) > 0);
  const bucket = data[first];
  if (bucket === undefined || first < data.length / 4) return undefined;
  return Math.max(Date.parse(from), Math.floor(Date.parse(bucket.at) / hourMs) * hourMs);
}

export const runsIn = (counts: Histogram['data'][number]['counts']): number =>
  Object.values(counts).reduce((all, one) => all + one, 0);
