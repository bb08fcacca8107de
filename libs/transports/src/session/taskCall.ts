/**
 * Calls that the server executes in the background: as a task of 2025-11-25, which the client asks for, or of the
 * extension `io.modelcontextprotocol/tasks` (from 2026-07-28), which the server decides on. Baton polls both until they
 * end.
 *
 * The call has begun when there is a task: no later failure may count as a call that did not run.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { FailureError } from '@baton/engine';
import { limits } from '@baton/expressions';
import { type JsonObject, cleanText, defined, isObject } from '@baton/primitives';
import { cancelled } from '@baton/runner';

import { rpcFailure } from '../failure/rpcFailure.ts';
import type { RequestOptions } from './requestOptions.ts';

export const tasksExtension = 'io.modelcontextprotocol/tasks';

export interface TaskPeer {
  /** Rejects with `FailureError`. */
  readonly ask: (ask: RequestOptions) => Promise<unknown>;
  /** Answers the questions of the task. Rejects with `FailureError`. */
  readonly answer: (method: string, params: JsonObject) => Promise<JsonObject>;
  /** Aborted when the session has ended. */
  readonly ended: AbortSignal;
}

type LooseObject = Readonly<Record<string, unknown>>;

const pollMs = { usual: 1_000, least: 50, most: 30_000 };
/** Time limit of a request about a task. */
const askMs = 30_000;
const over: ReadonlySet<unknown> = new Set(['completed', 'failed', 'cancelled']);

/** Resolves to `result` itself, or to the result of the task that it names. Rejects with `FailureError`. */
export async function settleTask(result: unknown, call: RequestOptions, peer: TaskPeer): Promise<unknown> {
  const task = taskIn(result);
  if (task === undefined) return result;
  const following = new TaskFollower(task, call, peer);
  try {
    return await following.result();
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    throw begun(error);
  }
}

function taskIn(result: unknown): LooseObject | undefined {
  if (!isObject(result)) return undefined;
  const task = result['resultType'] === 'task' ? result : result['task'];
  return isObject(task) && typeof task['taskId'] === 'string' ? task : undefined;
}

class TaskFollower {
  readonly #taskId: unknown;
  /** A task of 2025-11-25, whose result takes a request of its own. */
  readonly #isFirst: boolean;
  readonly #call: RequestOptions;
  readonly #peer: TaskPeer;
  readonly #answered = new Set<string>();
  #task: LooseObject;
  #polls = 0;

  constructor(task: LooseObject, call: RequestOptions, peer: TaskPeer) {
    this.#task = task;
    this.#taskId = task['taskId'];
    this.#isFirst = task['resultType'] !== 'task';
    this.#call = call;
    this.#peer = peer;
  }

  async result(): Promise<unknown> {
    const { signal } = this.#call;
    try {
      while (!over.has(this.#task['status'])) {
        this.#tell();
        if (this.#task['status'] === 'input_required') {
          // A task of 2025-11-25 asks its questions while the client waits for the result.
          if (this.#isFirst) return await this.#ask('tasks/result', this.#call.deadline - performance.now());
          await this.#giveInput();
        }
        await sleep(this.#pauseMs(), undefined, { signal }).catch(() => {
          throw cancelled('unknown', signal);
        });
        if (performance.now() >= this.#call.deadline) throw late();
        this.#task = asTask(await this.#ask('tasks/get'));
      }
    } catch (error) {
      this.#cancel();
      throw error;
    }
    return this.#end();
  }

  async #end(): Promise<unknown> {
    const { status, statusMessage, result, error } = this.#task;
    if (status === 'cancelled') throw failed('The server cancelled the task.', statusMessage);
    if (this.#isFirst) return this.#ask('tasks/result');
    if (status === 'completed') return result;
    throw error === undefined ? failed('The task failed.', statusMessage) : rpcFailure(error, 'The task');
  }

  #ask(method: string, patienceMs = askMs, more: JsonObject = {}): Promise<unknown> {
    const { deadline, signal, runId, meta } = this.#call;
    const params = { taskId: this.#taskId, ...more } as JsonObject;
    return this.#peer.ask({
      method,
      params,
      signal,
      idleMs: patienceMs,
      deadline,
      ...defined({ runId, meta }),
    });
  }

  async #giveInput(): Promise<void> {
    const { inputRequests } = this.#task;
    const entries = isObject(inputRequests) ? Object.entries(inputRequests) : [];
    const inputResponses: Record<string, JsonObject> = {};
    for (const [key, request] of entries) {
      if (this.#answered.has(key) || !isObject(request) || typeof request['method'] !== 'string') continue;
      const params = isObject(request['params']) ? request['params'] : {};
      inputResponses[key] = await this.#peer.answer(request['method'], params as JsonObject);
      this.#answered.add(key);
    }
    if (Object.keys(inputResponses).length > 0) await this.#ask('tasks/update', askMs, { inputResponses });
  }

  #tell(): void {
    const { statusMessage } = this.#task;
    const message = typeof statusMessage === 'string' ? statusMessage : '';
    const shown = cleanText(message, limits.progress.messageCharacters);
    this.#call.onProgress?.({ progress: this.#polls++, ...(shown === '' ? {} : { message: shown }) });
  }

  #pauseMs(): number {
    const said = this.#task['pollInterval'] ?? this.#task['pollIntervalMs'];
    const wantedMs = typeof said === 'number' ? said : pollMs.usual;
    const leftMs = Math.max(this.#call.deadline - performance.now(), 0);
    return Math.min(Math.max(wantedMs, pollMs.least), pollMs.most, leftMs);
  }

  /** The caller no longer waits: cancels the task at the server. */
  #cancel(): void {
    const { ask, ended } = this.#peer;
    const params = { taskId: this.#taskId } as JsonObject;
    ask({ method: 'tasks/cancel', params, signal: ended, idleMs: askMs, deadline: performance.now() + askMs }).catch(
      () => {
        // The task may have ended, or the server cannot cancel.
      },
    );
  }
}

/** Servers of 2025-11-25 answer with the task, or with an object that holds it. */
function asTask(result: unknown): LooseObject {
  if (isObject(result) && typeof result['status'] === 'string') return result;
  const task = taskIn(result);
  if (task !== undefined) return task;
  throw new FailureError('invalid-result', 'The answer to tasks/get is no task.', { delivery: 'unknown' });
}

const failed = (what: string, statusMessage: unknown): FailureError => {
  const why = typeof statusMessage === 'string' ? ` ${cleanText(statusMessage, limits.failure.messageCharacters)}` : '';
  return new FailureError('tool-failed', `${what}${why}`, { delivery: 'answered' });
};

const late = (): FailureError =>
  new FailureError('timeout', 'The task exceeded the time limit of its call (tools/call).', {
    delivery: 'unknown',
    details: { kind: 'total' },
  });

function begun(error: FailureError): FailureError {
  if (error.delivery === 'answered' || error.delivery === 'unknown') return error;
  const { details } = error.failure;
  return new FailureError(error.code === 'session-lost' ? 'connection-lost' : error.code, error.message, {
    delivery: 'unknown',
    cause: error,
    ...defined({ details }),
  });
}
