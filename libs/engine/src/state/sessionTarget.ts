import type { DecidedEffect, ToolSchemas } from '@baton/language';

/** The tool, prompt or resource that the client of a session requests. */
export type SessionTarget =
  | {
      readonly verb: 'tool';
      readonly server: string;
      readonly tool: string;
      readonly effect: DecidedEffect;
      /** Schemas of the tool as the client saw them; absent: its server was not reachable. */
      readonly definition?: ToolSchemas;
      /** Digests of the tool as the client saw it, as pins have them. */
      readonly contract?: string;
      readonly text?: string;
    }
  | { readonly verb: 'prompt'; readonly server: string; readonly prompt: string }
  | { readonly verb: 'resource'; readonly server: string; readonly uri: string };
