/**
 * Ten thousand callers in several processes, one of which is killed, of one server with a rate that counts its calls.
 *
 *   node bench/rates.ts [--callers 10000] [--processes 4] [--per-second 1000] [--burst 50] [--place redis|postgres]
 *
 * Each caller takes a turn, waits for it, and calls when it may. The server says by how many calls the worst window, of
 * any length, exceeded what the bucket allows: once by the arrivals, which a busy machine bunches, and once by the moments
 * at which the bucket let the calls go.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as passed } from 'node:timers/promises';

import type { CallTurn } from '@baton/engine';
import { openQueue } from '@baton/queue';
import { type Meters, ServerRates, systemClock, UnavailableError } from '@baton/runner';
import { migrate, openStore, storedMeters } from '@baton/store';

import { parseOptions } from './core/parseOptions.ts';
import { openServices } from './services.ts';

const options = {
  callers: { type: 'string', default: '10000' },
  processes: { type: 'string', default: '4' },
  'per-second': { type: 'string', default: '1000' },
  burst: { type: 'string', default: '50' },
  place: { type: 'string', default: 'redis' },
  /** Of a child. */
  medium: { type: 'string' },
  server: { type: 'string' },
} as const;
const { values } = parseOptions({ options });
const [callers, processes, perSecond, burst] = [
  values.callers,
  values.processes,
  values['per-second'],
  values.burst,
].map(Number) as [number, number, number, number];
const everyMs = 1_000 / perSecond;

async function openMeters(medium: string): Promise<Meters> {
  if (values.place === 'postgres') return storedMeters(openStore({ url: medium, secretKey: Buffer.alloc(32) }));
  const { meters } = await openQueue({ redisUrl: medium, prefix: 'rates', mayEvict: true });
  if (meters === undefined) throw new Error('a queue on Redis has meters');
  return meters;
}

async function call(): Promise<void> {
  const { medium = '', server: url = '' } = values;
  const rates = new ServerRates({
    meters: await openMeters(medium),
    channels: { send: () => {}, listen: () => () => {} },
    clock: systemClock,
    random: Math.random,
    rateOf: () => ({ everyMs, burst, by: 'server' }),
    isOneServer: () => true,
    onAway: (error) => process.stderr.write(`${error?.message ?? 'the meters are back'}\n`),
  });
  const wanted = { server: 's', name: 't', by: 'ada' };
  const { signal } = new AbortController();
  const reach = async (turn: CallTurn): Promise<void> => {
    if ('at' in turn) await passed(Math.max(0, turn.at - Date.now()));
  };
  const one = async (): Promise<void> => {
    do await reach(await rates.takeTurn(wanted, {}));
    while (!(await rates.mayBeSent(wanted, signal)));
    const sentAt = performance.timeOrigin + performance.now();
    // A connection that breaks says nothing of the rate.
    await fetch(url, { method: 'POST', body: String(sentAt) }).then(
      (answer) => answer.text(),
      () => undefined,
    );
  };
  await Promise.all(Array.from({ length: Math.ceil(callers / processes) }, one));
  process.exit(0);
}

/** Calls beyond those that the bucket allows, in the worst window. `times` in order, in milliseconds. */
function excess(times: readonly number[]): number {
  let least = Infinity;
  let worst = -Infinity;
  for (const [index, at] of times.entries()) {
    least = Math.min(least, index - at / everyMs);
    worst = Math.max(worst, index - at / everyMs - least + 1 - burst);
  }
  return Math.max(0, Math.ceil(worst - 1e-6));
}

async function measure(): Promise<void> {
  const services = await openServices();
  const arrived: number[] = [];
  const sent: number[] = [];
  const server = createServer((request, response) => {
    arrived.push(performance.timeOrigin + performance.now());
    request.on('data', (text: Buffer) => sent.push(Number(text.toString())));
    request.on('end', () => response.end('ok'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const medium = values.place === 'postgres' ? await services.database('rates') : services.redis?.url;
  if (medium === undefined) throw new UnavailableError('this machine has no Redis: --place postgres');
  if (values.place === 'postgres') await migrate(medium);
  const args = [...process.argv.slice(2), '--medium', medium, '--server', url];
  const children = Array.from({ length: processes }, () => fork(import.meta.filename, args));
  const ended = Promise.all(children.map((child) => once(child, 'exit')));
  while (arrived.length < callers / 4) await passed(10);
  children[0]?.kill('SIGKILL');
  await ended;
  server.close();
  await services.close();
  const seconds = ((arrived.at(-1) ?? 0) - (arrived[0] ?? 0)) / 1_000;
  const byTime = (a: number, b: number): number => a - b;
  process.stdout.write(
    `${values.place}: ${arrived.length} calls of ${callers} callers in ${processes} processes, one of them killed, in ${seconds.toFixed(1)} s\n` +
      `allowed: ${perSecond} a second, ${burst} at once\n` +
      `beyond the bucket in the worst window: ${excess(sent.toSorted(byTime))} when let go, ${excess(arrived.toSorted(byTime))} as they arrived\n`,
  );
}

await (values.server === undefined ? measure() : call());
