export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type JsonObject = { readonly [key: string]: Json };
type Effect = 'read' | 'idempotent' | 'write';
type Verb = string;

interface Budget {
  readonly usd?: number;
  readonly tokens?: number;
  readonly toolCalls?: number;
}

interface Spending {
  readonly toolCalls: number;
  readonly tokens: number;
  readonly usd: number;
}

/** How far a call got before it failed. */
type Delivery = 'unsent' | 'rejected' | 'answered' | 'unknown';

interface Failure {
  readonly code: string;
  readonly message: string;
  /** Path of the step that failed first. */
  readonly step?: string;
  readonly details?: Json;
}

/** A value: itself, or its beginning where it is large (`runs.value` of the API has all of it). */
export type Value =
  | { readonly json: Json }
  | { readonly blob: { readonly sha256: string; readonly bytes: number; readonly preview: string } }
  | { readonly list: readonly Value[] };

interface DefinitionPart {
  readonly pointer: string;
  readonly index: number;
  readonly scope: Value;
}

type SessionTarget =
  | { readonly verb: 'tool'; readonly server: string; readonly tool: string }
  | { readonly verb: 'prompt'; readonly server: string; readonly prompt: string }
  | { readonly verb: 'resource'; readonly server: string; readonly uri: string };
