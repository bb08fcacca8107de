import type { BulkJobOptions, JobType, Processor, WorkerOptions } from 'bullmq';

import type { QueueFinding } from './doctor.ts';

/** The name of the only queue in BullMQ. */
export const queueName = 'runs';

/** The methods used of BullMQ's `Queue`, whose types differ by backend. */
interface BellQueue {
  add(name: string, data: unknown, options: BulkJobOptions): Promise<unknown>;
  addBulk(jobs: { name: string; data: unknown; opts: BulkJobOptions }[]): Promise<unknown>;
  getJobCounts(...types: JobType[]): Promise<Record<string, number>>;
  waitUntilReady(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  close(): Promise<void>;
}

/** The methods used of BullMQ's `Worker`. */
interface BellWorker {
  waitUntilReady(): Promise<void>;
  run(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'drained', listener: () => void): unknown;
  on(event: 'stalled', listener: (id: string) => void): unknown;
  on(event: 'lockRenewalFailed', listener: (ids: string[]) => void): unknown;
  close(): Promise<void>;
  getBackend(): { close(isForced: boolean): Promise<void> };
}

type BellProcessor = Processor<unknown, void>;

/** A worker of BullMQ that does not run yet. `release` frees what it holds besides its own connections. */
export interface QueueConsumer {
  readonly worker: BellWorker;
  release(): void;
}

/** The parts that differ between a queue on Redis and one on Postgres. */
export interface QueueBacking {
  readonly kind: 'redis' | 'postgres';
  /**
   * BullMQ's priority of the most urgent jobs. On Postgres it is 1: a job of priority 0 that a worker hands back goes
   * behind all others there, and before them on Redis.
   */
  readonly firstPriority: 0 | 1;
  readonly producer: BellQueue;
  consumer(processor: BellProcessor, options: Omit<WorkerOptions, 'connection'>): QueueConsumer;
  /** Looks for known problems of the server. Rejects where it is unreachable. */
  examine(): Promise<{ readonly version?: string; readonly findings: readonly QueueFinding[] }>;
  close(): Promise<void>;
}
