import type { DecidedEffect, ToolSchemas } from '@baton/language';

/** What the client of a session asked for. */
export type SessionTarget =
  | {
      readonly verb: 'tool';
      readonly server: string;
      readonly tool: string;
      readonly effect: DecidedEffect;
      /** The tool as the client saw it; absent: its server could not be asked. */
      readonly definition?: ToolSchemas;
      /** Digest of the tool's schemas, as pins have it. */
      readonly contract?: string;
    }
  | { readonly verb: 'prompt'; readonly server: string; readonly prompt: string }
  | { readonly verb: 'resource'; readonly server: string; readonly uri: string };
