/** Answers to requests of servers, and listeners for their reports. The worker provides them. */
import type { JsonObject } from '@baton/primitives';

export interface ServerRequest {
  readonly server: string;
  readonly session: string;
  /** Aborted when the caller no longer waits for the answer. */
  readonly signal: AbortSignal;
  /** `ask`: a person must agree first. */
  readonly policy: 'allow' | 'ask';
  /**
   * Runs whose call this may be about: those with a call on the session. Exactly one if `scope` is `run`, and since
   * 2026-07-28; before that a server does not say which call of a shared session it asks for.
   */
  readonly runs: readonly string[];
  /** For a URL that a person must open: aborted when the server reports that the person is done. */
  readonly completed?: AbortSignal;
}

/** What a server reports: `notifications/message`. */
export interface ServerLog {
  readonly server: string;
  readonly session: string;
  /** As in RFC 5424, `debug` … `emergency`. */
  readonly level: string;
  readonly logger?: string;
  /** Cleaned and cut; data that is not a string is JSON. */
  readonly message: string;
}

/** Parameters and results as in MCP. A capability is declared to a server only where a handler exists. */
export interface Handlers {
  /** `sampling/createMessage`, and `completion/create` converted to it. A `usage` in the result is passed on. */
  readonly sampling?: (params: JsonObject, request: ServerRequest) => Promise<JsonObject>;
  readonly elicitation?: (params: JsonObject, request: ServerRequest) => Promise<JsonObject>;
  /** Replaces the `roots` of the configuration. */
  readonly roots?: (request: ServerRequest) => Promise<JsonObject>;
  readonly log?: (entry: ServerLog) => void;
}
