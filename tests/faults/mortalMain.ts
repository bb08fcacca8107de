/**
 * The process of a mortal worker: does what its parent sends it, says so, and dies; or ends well when its parent is
 * gone.
 */
import { MortalWorker, type Order } from './mortalWorker.ts';

process.once('message', (order: Order) => {
  void obey(order);
});

async function obey(order: Order): Promise<void> {
  const worker = new MortalWorker(order);
  const points = await worker.drive();
  if (order.missions.some(({ until }) => until !== undefined)) process.kill(process.pid, 'SIGKILL');
  await worker.close();
  process.send?.(points, () => process.disconnect());
}
