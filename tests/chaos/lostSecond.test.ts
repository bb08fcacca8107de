/**
 * Goal: no write is made twice where an asynchronous standby is promoted that lacks the last second.
 * Method: runs of four writes each are started all the time. The standby stops receiving, a second later the primary is
 * killed, and the standby takes its place. The processes end, begin anew behind the fence, and a person lifts it. Then
 * the ledger of the tool server is read. Several times, as long as `npm run chaos` goes on.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { faultProxy, readLedger, toolsServer } from '@baton/testing';
import { afterEach, expect, test } from 'vitest';

import { Installation, isAlive } from '../installation.ts';
import { pause } from '../pause.ts';
import { canPairPostgres, postgresPair } from './postgresPair.ts';

const seconds = Number(process.env['BATON_CHAOS_SECONDS'] ?? 0);
const only = (process.env['BATON_CHAOS_FAMILIES'] ?? '').split(',').filter((family) => family !== '');
/** Its name among the families of `npm run chaos`. */
const isWanted = only.length === 0 || only.some((family) => family === 'standby' || family === 'standby-behind');
const lostMs = 1_000;
const askEveryMs = 50;

const steps = [1, 2, 3, 4].map((n) => `  - { id: s${n}, tool: work/write, with: { n: "\${{ inputs.run }}-${n}" } }\n`);
const paying = `workflow: paying\ninputs: { run: { type: integer } }\nsteps:\n${steps.join('')}`;

const ends: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

test.skipIf(seconds === 0 || !isWanted || !canPairPostgres())(
  'No write is made twice after the promotion of a standby that lacks the last second',
  { timeout: 600_000 + seconds * 4_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'baton-behind-'));
    ends.push(async () => rmSync(folder, { recursive: true, force: true }));
    const ledger = join(folder, 'ledger');
    const pair = await postgresPair({ isSynchronous: false });
    ends.push(() => pair.remove());
    const network = await faultProxy(() => pair.address);
    ends.push(() => network.close());
    const baton = await Installation.start({
      servers: { work: toolsServer(ledger) },
      workers: 2,
      databaseUrl: pair.url,
      databasePort: network.port,
      env: { LOG_LEVEL: 'error' },
    });
    ends.push(() => baton.stop());
    await baton.deploy(paying);

    const written = (): string[] =>
      readLedger(ledger).flatMap(({ call, arguments: given }) => (call === 'write' ? [String(given?.['n'])] : []));
    const goingOn = async (): Promise<number> => {
      const { queued, running } = await baton.client.system.queue();
      return queued + running;
    };
    let asked = 0;
    async function load(isOver: () => boolean): Promise<void> {
      while (!isOver()) {
        // A run that is not accepted, or is lost, is not asked for again: each has numbers of its own.
        baton.start('paying', { run: asked++ }).catch(() => undefined);
        await pause(askEveryMs);
      }
    }

    const found: string[] = [];
    const untilMs = performance.now() + seconds * 1_000;
    do {
      let isOver = false;
      const loading = load(() => isOver);
      const before = written().length;
      await expect.poll(() => written().length, { timeout: 120_000 }).toBeGreaterThan(before + 40);
      await pair.fallBehind();
      const lostFrom = written().length;
      await pause(lostMs);
      const lostWrites = written().length - lostFrom;
      const apps = baton.apps.filter(isRunning);
      await pair.failOver(() => network.cutAll());
      isOver = true;
      await loading;
      const running = (): number => apps.filter(isRunning).length;
      await expect.poll(running, { timeout: 120_000 }).toBe(0);
      await baton.startOrchestrator();
      await Promise.all([baton.startWorker(), baton.startWorker()]);
      expect((await baton.api('GET', '/readyz')).body).toMatchObject({ status: 'fenced' });
      const { activeRuns } = await baton.client.fence.show();
      await baton.client.fence.lift({ reason: 'the standby was promoted' });
      await expect.poll(goingOn, { timeout: 300_000 }).toBe(0);
      const made = written();
      expect(made.filter((n, at) => made.indexOf(n) !== at)).toEqual([]);
      found.push(`${made.length} writes, ${lostWrites} of them in the lost second, ${activeRuns} runs went on`);
    } while (performance.now() < untilMs);
    process.stdout.write(`${found.join('\n')}\n`);
  },
);

const isRunning = ({ child }: Installation['apps'][number]): boolean => isAlive(child);
