/** How busy the main thread is while events of many runs arrive. */
import { type Figure, figure } from './figure.ts';
import type { Product } from './product.ts';

const measuredMs = 8_000;
const eventsASecond = 200;
/** A run of these makes about so many events. */
const items = 30;
const eventsOfRun = items * 3 + 6;

export async function busyFigure({ client, url, open }: Product): Promise<Figure> {
  const context = await open();
  const page = await context.newPage();
  await page.goto(`${url}/runs`);
  await page.locator('.filters').waitFor();
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable');
  const before = await busySeconds(session);
  const start = performance.now();
  const everyMs = (1_000 * eventsOfRun) / eventsASecond;
  const timer = setInterval(() => void client.runs.start('many-items', { count: items }), everyMs);
  await new Promise((done) => setTimeout(done, measuredMs));
  clearInterval(timer);
  const share = ((await busySeconds(session)) - before) / ((performance.now() - start) / 1_000);
  await context.close();
  return figure(`${eventsASecond} events a second: main thread busy`, share * 100, '%', { most: 30 });
}

interface Session {
  send(
    method: 'Performance.getMetrics',
  ): Promise<{ readonly metrics: readonly { readonly name: string; readonly value: number }[] }>;
}

async function busySeconds(session: Session): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
}
