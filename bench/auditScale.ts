/**
 * The audit and retention of many runs: whether the memory of a verification grows with them, and how fast old runs go.
 *
 *   node bench/auditScale.ts [--runs 10000,40000] [--heap 96]
 *
 * Runs of 13 events go through the journal, as a worker appends them, on a Postgres of their own with full durability; then
 * they are sealed, verified in a process whose heap has so many megabytes at most, and removed. `--heap`: of V8's old space.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { type Run, type RunEvent, begin, evolve, rowOf } from '@baton/engine';

import { temporaryPostgres } from '../libs/boot/src/index.ts';
import {
  type Store,
  claimMarks,
  definitionOf,
  migrate,
  openStore,
  putDefinition,
  removeRuns,
  sealRuns,
  verifyAudit,
} from '../libs/store/src/index.ts';
import { requestedEvent } from '../libs/testing/src/index.ts';
import { parseOptions } from './core/parseOptions.ts';

const { values } = parseOptions({
  options: {
    runs: { type: 'string', default: '10000,40000' },
    heap: { type: 'string', default: '96' },
    verify: { type: 'string' },
  },
});
const secretKey = Buffer.alloc(32, 7);
const definition = definitionOf('{ "workflow": "hello" }', 'json', {});
const keep = { runsMs: Infinity, recordsMs: Infinity };
const atOnce = 200;

async function oneRun(store: Store): Promise<void> {
  const at = Date.now();
  const event = requestedEvent({ at, definition: definition.digest });
  const { runId } = await store.request({ event });
  const opened = await store.journal.open(runId);
  if (opened === undefined) throw new Error('the run is not there');
  let run: Run = begin(runId, event);
  const append = async (...events: readonly RunEvent[]): Promise<void> => {
    for (const one of events) run = evolve(run, one);
    await opened.log.append({ events, row: rowOf(run) });
  };
  await append({ type: 'run.claimed', at, worker: 'w', claim: 1 });
  for (let step = 0; step < 5; step += 1) {
    const place = { at, path: `s${step}`, verb: 'tool', attempt: 1 } as const;
    await append(
      { type: 'step.started', ...place },
      { type: 'step.succeeded', ...place, value: { json: { content: 'Echo: hello step 12345' } } },
    );
  }
  await append({ type: 'run.finished', at, status: 'succeeded', outputs: { json: {} } });
}

/** In a process of its own, whose heap is small. */
async function verifyHere(url: string): Promise<void> {
  const store = openStore({ url, secretKey, answerMs: 60_000 });
  const start = performance.now();
  const report = await verifyAudit(store, { nowMs: Date.now(), keep });
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  const peakMib = Math.round(process.resourceUsage().maxRSS / 1_024);
  const { isIntact, problem } = report;
  console.log(JSON.stringify({ isIntact, ...(problem && { problem }), seconds, peakMib }));
  await store.close();
}

async function main(): Promise<void> {
  const postgres = await temporaryPostgres();
  try {
    await migrate(postgres.url);
    const store = openStore({ url: postgres.url, secretKey, answerMs: 60_000 });
    await claimMarks(store);
    await putDefinition(store, definition);
    let made = 0;
    for (const runs of values.runs.split(',').map(Number)) {
      const start = performance.now();
      const more = async (): Promise<void> => {
        while (made < runs) {
          made += 1;
          await oneRun(store);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, more));
      const perSecond = Math.round(runs / ((performance.now() - start) / 1_000));
      while ((await sealRuns(store, { nowMs: Date.now() }))?.isFull === true);
      console.log(JSON.stringify({ runs, events: runs * 13, perSecond }));
      const flags = [`--max-old-space-size=${values.heap}`, fileURLToPath(import.meta.url), '--verify', postgres.url];
      spawnSync(process.execPath, flags, { stdio: 'inherit' });
    }
    const start = performance.now();
    let removed = 0;
    for (let after: string | undefined; ;) {
      const batch = await removeRuns(store, { endedBefore: Date.now() + 1_000, after });
      removed += batch?.runs ?? 0;
      if (batch?.next === undefined) break;
      after = batch.next;
    }
    const perSecond = Math.round(removed / ((performance.now() - start) / 1_000));
    console.log(JSON.stringify({ removed, perSecondWithoutRest: perSecond }));
    await store.close();
  } finally {
    await postgres.stop();
  }
}

await (values.verify === undefined ? main() : verifyHere(values.verify));
