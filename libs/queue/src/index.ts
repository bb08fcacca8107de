/**
 * The queue: BullMQ, on Redis or on Postgres, implements the bell, which says "this run can continue"; Redis pub/sub
 * implements the bus.
 *
 * It holds no fact that Postgres does not hold (I1). A queue that is emptied, paused, killed, or delivers twice, late
 * or never makes a run late and never wrong, and no caller waits for an unreachable queue. It never retries or schedules
 * a run, and reads only run ids from a job.
 */
export { EvictionError } from './doctor.ts';
export { migrateQueue } from './migrateQueue.ts';
export { openQueue, type OpenQueue } from './openQueue.ts';
export { redisEpochs } from './redisEpochs.ts';
