/**
 * The port for a run's calls to MCP servers. libs/transports implements it over its session pool.
 */
import type { FailureError, RunPerson, Usage } from '@baton/engine';
import type { ToolPin, ToolSchemas } from '@baton/language';
import { type JsonObject, isObject } from '@baton/primitives';

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface CallContext {
  readonly runId: string;
  /** `isDeployed`: false where it came with its run. Absent: no server that is limited to workflows is called. */
  readonly workflow?: { readonly id: string; readonly isDeployed: boolean };
  /** Whose login the call uses, at a server where people have their own. Absent: that of the installation. */
  readonly person?: RunPerson;
  /** `<run>/<path>#<attempt>`: identifies this attempt in logs, in metrics and in the server's own records. */
  readonly attemptKey: string;
  /** W3C Trace Context of the call, passed on to the server; absent: the run is not traced. */
  readonly traceparent?: string;
  /** Aborted when the run is stopped; the call is then cancelled at the server too. */
  readonly signal: AbortSignal;
  /**
   * Call this in the turn of the event loop in which the call is sent. It marks the call as sent, or returns false if
   * this worker may no longer act: such a call fails with delivery `unsent`. Absent: it may always act.
   */
  readonly beginSend?: () => boolean;
  /**
   * Await this when the call can be sent at once. Rejects with `MissedTurnError` where its turn at the server has passed.
   * Absent: the server takes calls at any time.
   */
  readonly awaitTurn?: () => Promise<void>;
  /**
   * The run has paused: the tool is compared with its pin again, in a list that was read since then. Epoch milliseconds.
   */
  readonly toolsReadSince?: number;
  /** Progress resets `idleMs`; nothing resets `totalMs`. Absent: the server's configuration decides. */
  readonly timeout: { readonly idleMs?: number; readonly totalMs?: number };
  readonly onProgress: (progress: Progress) => void;
  /**
   * Called with the session that the call uses, such as `tools#1`, and again if the call is sent on another one.
   * `isOwnLogin`: it has the login of `person`.
   */
  readonly onSession?: (session: string, isOwnLogin?: boolean) => void;
}

/** Details of the failure of a call that was not begun, since its person has no login at the server. */
export const withoutLogin = { login: 'absent' } as const;

export const isWithoutLogin = ({ failure: { details } }: FailureError): boolean =>
  isObject(details) && details['login'] === withoutLogin.login;

/** How long a call waited for a session, and which one it got. */
export interface SessionUse {
  readonly session: string;
  readonly waitedMs: number;
}

export interface CallResult {
  /** The MCP result as it came, with `content`, `structuredContent`, `messages` or `contents`. Never `isError`. */
  readonly result: JsonObject;
  readonly session?: SessionUse;
  /** What the server's sampling requests cost during the call. */
  readonly usage?: Usage;
}

/**
 * Each rejects with `FailureError`, whose `delivery` says how far the call got. A result with `isError` is the failure
 * `tool-failed`, delivery `answered`, its text as the message and its content in the details.
 */
export interface Calls {
  callTool(
    call: {
      server: string;
      tool: string;
      arguments: JsonObject;
      idempotencyKey?: string;
      definition?: ToolSchemas;
      /** What the tool must still be. */
      pin?: ToolPin;
    },
    context: CallContext,
  ): Promise<CallResult>;
  getPrompt(call: { server: string; prompt: string; arguments: JsonObject }, context: CallContext): Promise<CallResult>;
  readResource(call: { server: string; uri: string; arguments: JsonObject }, context: CallContext): Promise<CallResult>;
  /** A run has ended: sessions that belonged to it alone may be closed. */
  release(runId: string): void;
}

/** Answers `sample` steps. libs/models implements this. */
export interface Models {
  /**
   * `request` has the fields of MCP's CreateMessageRequest params. With `output`, a JSON Schema, the model must answer in
   * that type: the answer is validated, repaired once, and put under `output` of the result.
   * The result has the fields of CreateMessageResult, and `usage`. Rejects with `FailureError`.
   */
  sample(
    request: JsonObject,
    options: { readonly output?: JsonObject | boolean; readonly context: CallContext },
  ): Promise<{ readonly result: JsonObject; readonly usage: Usage }>;
}
