/** Answers to requests of servers, and listeners for their reports. The worker provides them. */
import type { JsonObject } from '@baton/language';

export interface ServerRequest {
  readonly server: string;
  readonly session: string;
  /** Aborted when the caller no longer waits for the answer. */
  readonly signal: AbortSignal;
  /** `ask`: a person is to agree first. */
  readonly policy: 'allow' | 'ask';
  /**
   * Runs whose call this may be about: those with a call on the session. One where `scope` is `run`, and from 2026-07-28
   * on; several may share a session, and before that a server does not say which of its calls it asks for.
   */
  readonly runs: readonly string[];
  /** For an address that a person must open: aborted when the server has learned that they are done there. */
  readonly completed?: AbortSignal;
}

/** What a server reports: `notifications/message`. */
export interface ServerLog {
  readonly server: string;
  readonly session: string;
  /** As in RFC 5424, `debug` … `emergency`. */
  readonly level: string;
  readonly logger?: string;
  /** Cleaned and cut; what was no text is JSON. */
  readonly message: string;
}

/** Parameters and results as in MCP. A capability is declared to a server only where a handler exists. */
export interface Handlers {
  /** `sampling/createMessage`, and `completion/create` in its words. A `usage` in the result is passed on. */
  readonly sampling?: (params: JsonObject, asked: ServerRequest) => Promise<JsonObject>;
  readonly elicitation?: (params: JsonObject, asked: ServerRequest) => Promise<JsonObject>;
  /** In place of the `roots` of the configuration. */
  readonly roots?: (asked: ServerRequest) => Promise<JsonObject>;
  readonly log?: (entry: ServerLog) => void;
}
