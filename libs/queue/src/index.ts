/**
 * The queue: BullMQ, on Redis or on Postgres, as a bell that says "this run can continue", and Redis pub/sub as the
 * bus.
 *
 * It holds no fact that Postgres does not hold (I1). A queue that is emptied, paused, killed, or delivers twice, late
 * or never makes a run late and never wrong, and no caller waits for a queue that is away. It never retries a run,
 * never schedules one, and reads nothing from a job but ids of runs.
 */
export { EvictionError } from './doctor.ts';
export type { Finding, QueueReport } from './doctor.ts';
export type { ListenOptions } from './listener.ts';
export { openQueue } from './openQueue.ts';
export type { OpenQueue, QueueSettings } from './openQueue.ts';
export type { OnTrouble, QueueTrouble } from './trouble.ts';
