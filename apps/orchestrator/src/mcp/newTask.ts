/** A run as a task of MCP (2026-07-28). */
import type { Run } from '@baton/engine';

/** The poll interval for clients. */
const pollIntervalMs = 1_000;

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'cancelled';

/** A type, not an interface: results of the SDK have an index signature. */
export type McpTask = {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  /** Null: the task exists until retention removes the run. */
  readonly ttlMs: null;
  readonly pollIntervalMs: number;
};

/** A CreateTaskResult. The SDK requires content in every answer of `tools/call`. */
export type NewTask = McpTask & { readonly resultType: 'task'; readonly content: [] };

export const newTask = (run: Run): NewTask => ({ ...taskOf(run, 'working'), resultType: 'task', content: [] });

export const taskOf = ({ id, createdAt, at }: Run, status: TaskStatus): McpTask => ({
  taskId: id,
  status,
  createdAt: new Date(createdAt).toISOString(),
  lastUpdatedAt: new Date(at).toISOString(),
  ttlMs: null,
  pollIntervalMs,
});
