/**
 * What becomes of the figures when there is much of something: finished runs, queued runs, waiting runs, bytes.
 *
 *   node bench/growth.ts [--stored 100000,1000000] [--queued 100000] [--waiting 100000] [--rounds 3] [--seconds 5]
 *     [--only stored|queued|waiting|payloads] [--json FILE]
 *
 * `growth.runs.<n>.vsEmpty`: W(3) from the queue on, beside an installation that has stored nothing, in turns.
 * `growth.queued.<n>.vsEmpty`: p50 of a start over REST with so many runs queued, beside the same with none.
 * `idle.waiting.<n>`: CPU of the whole stack, as a share of one core, while so many runs wait for a signal.
 * `growth.foreach.10k.vs100`: bench/forEach.ts.
 *
 * Rows beyond the first thousands are copies of ones that really went through, made in SQL. `--json` writes
 * `{ ratios, figures }`.
 */
import { writeFileSync } from 'node:fs';

import { parseOptions } from './core/parseOptions.ts';
import type { Measuring } from './growth/measuring.ts';
import { payloads } from './growth/payloads.ts';
import { queued } from './growth/queued.ts';
import { stored } from './growth/stored.ts';
import { waiting } from './growth/waiting.ts';
import type { Ratio } from './report/ratios.ts';
import { openServices } from './services.ts';

const { values } = parseOptions({
  options: {
    stored: { type: 'string', default: '100000,1000000' },
    queued: { type: 'string', default: '100000' },
    waiting: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '5' },
    json: { type: 'string' },
    only: { type: 'string' },
  },
});
const ratios: Ratio[] = [];
const figures: Readonly<Record<string, unknown>>[] = [];

const tell: Measuring['tell'] = (figure) => {
  figures.push(figure);
  console.log(JSON.stringify(figure));
};

const promise: Measuring['promise'] = (ratio) => {
  ratios.push(ratio);
  console.log(JSON.stringify(ratio));
};

const stops: Measuring['stops'] = [];
try {
  const services = await openServices();
  stops.push(() => services.close());
  const measuring = {
    services,
    stored: values.stored.split(',').map(Number),
    queued: Number(values.queued),
    waiting: Number(values.waiting),
    rounds: Number(values.rounds),
    seconds: Number(values.seconds),
    stops,
    tell,
    promise,
  };
  for (const part of [stored, queued, waiting, payloads]) {
    if (values.only !== undefined && part.name !== values.only) continue;
    await part(measuring).catch((error: unknown) => tell({ name: part.name, failed: String(error).slice(0, 300) }));
    for (const stop of stops.splice(1).toReversed()) await stop();
  }
} finally {
  for (const stop of stops.toReversed()) await stop();
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ ratios, figures }, null, 2)}\n`);
