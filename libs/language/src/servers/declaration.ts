/**
 * What the server configuration declares once for all calls of a tool: how to find out whether a call happened, and how
 * to take it back. Its expressions read `call.arguments`, and `result` or `call.output`.
 */
import type { JsonObject } from '@baton/primitives';

/** A call of a tool of the same server. */
export interface DeclaredCall {
  /** Without the server. */
  readonly tool: string;
  readonly with?: JsonObject | undefined;
  /** As on a step. */
  readonly timeout?: string | undefined;
}

/** A call that only reads. */
export interface DeclaredCheck extends DeclaredCall {
  /** Bare CEL; `result` is what the checking tool answered. */
  readonly happened: string;
  /** Bare CEL: the output of the call that happened. Absent, or null: `{}`. */
  readonly output?: string | undefined;
}

export interface ToolDeclaration {
  readonly check?: DeclaredCheck | undefined;
  readonly undo?: DeclaredCall | undefined;
}

/** A declaration as the tools of its server are now. */
export interface ResolvedDeclaration extends ToolDeclaration {
  /** Why a part is declared and cannot be used, as sentences. */
  readonly unusable?: { readonly check?: string; readonly undo?: string };
}

export type Declarations = (server: string, tool: string) => ResolvedDeclaration | undefined;
