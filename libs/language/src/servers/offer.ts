/** What servers offer: the part of their catalogues that workflows are checked against. */
import type { JsonSchema } from '@baton/primitives';

export interface OfferedTool {
  readonly name: string;
  /** Untrusted text of the server, only for display. */
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
  readonly annotations?: ToolHints | undefined;
}

/** The part of MCP's ToolAnnotations that the check uses. */
export interface ToolHints {
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
}

export interface OfferedPrompt {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly arguments: readonly {
    readonly name: string;
    readonly description?: string | undefined;
    readonly required?: boolean | undefined;
  }[];
}

/** An event that a server delivers (SEP-3415). */
export interface OfferedEvent {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: JsonSchema;
  readonly payloadSchema: JsonSchema;
}

/** The knowledge about a configured server. `allow`: patterns of the workflows that it exists for; absent: all. */
export type ServerOffer = KnownOrNot & { readonly allow?: readonly string[] | undefined };

type KnownOrNot =
  | {
      readonly kind: 'known';
      readonly tools: readonly OfferedTool[];
      readonly prompts: readonly OfferedPrompt[];
      /** Absent: the server has no events. */
      readonly events?: readonly OfferedEvent[] | undefined;
      /** URIs. */
      readonly resources: readonly string[];
      /** RFC 6570. */
      readonly resourceTemplates: readonly string[];
      /** Tools and prompts that the server lists and Baton cannot use, with the reasons. */
      readonly leftOut?: readonly { readonly name: string; readonly why: string }[];
    }
  /** It was asked and did not answer; `reason` is a sentence. */
  | { readonly kind: 'unreachable'; readonly reason: string }
  /** It was not asked. */
  | { readonly kind: 'unasked' };

/** By alias: all servers that are configured. */
export type ServerOffers = ReadonlyMap<string, ServerOffer>;
