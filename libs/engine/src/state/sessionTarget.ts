import type { DecidedEffect, DeclaredCheck, ToolSchemas } from '@baton/language';

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
      /** Finds out whether the call happened where its answer is lost; absent: the server configuration declares none. */
      readonly check?: SessionCheck;
    }
  | { readonly verb: 'prompt'; readonly server: string; readonly prompt: string }
  | { readonly verb: 'resource'; readonly server: string; readonly uri: string };

/** A declared check, and its tool as it was when the client called. */
export interface SessionCheck {
  readonly declared: DeclaredCheck;
  readonly effect: DecidedEffect;
  readonly contract?: string;
}
