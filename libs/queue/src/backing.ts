import type { BulkJobOptions, JobType, Processor, WorkerOptions } from 'bullmq';

import type { Finding } from './doctor.ts';

/** One queue for everything: its name in BullMQ. */
export const queueName = 'runs';

/** What is used of BullMQ's `Queue`, whose types differ by backend. */
interface BellQueue {
  add(name: string, data: unknown, options: BulkJobOptions): Promise<unknown>;
  addBulk(jobs: { name: string; data: unknown; opts: BulkJobOptions }[]): Promise<unknown>;
  getJobCounts(...types: JobType[]): Promise<Record<string, number>>;
  waitUntilReady(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  close(): Promise<void>;
}

/** The same of its `Worker`. */
interface BellWorker {
  waitUntilReady(): Promise<void>;
  run(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'stalled', listener: (id: string) => void): unknown;
  on(event: 'lockRenewalFailed', listener: (ids: string[]) => void): unknown;
  close(): Promise<void>;
  getBackend(): { close(isForced: boolean): Promise<void> };
}

type BellProcessor = Processor<unknown, void>;

/** A worker of BullMQ, not running yet, and the way to let go of what it holds beside its own connections. */
export interface Consumer {
  readonly worker: BellWorker;
  release(): void;
}

/** What differs between a queue on Redis and one on Postgres. */
export interface Backing {
  readonly kind: 'redis' | 'postgres';
  readonly producer: BellQueue;
  consumer(processor: BellProcessor, options: Omit<WorkerOptions, 'connection'>): Consumer;
  /** What is wrong with the server, as far as it can be told. Rejects where it cannot be reached. */
  examine(): Promise<{ readonly version?: string; readonly findings: readonly Finding[] }>;
  close(): Promise<void>;
}
