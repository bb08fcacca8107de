/**
 * A task as a person would give it, with servers, and with what a right workflow does: which the author does not see.
 */
import type { Json, JsonObject } from '@baton/primitives';

export interface TaskTool {
  /** `server/tool` */
  readonly name: string;
  readonly does: string;
  readonly effect: 'read' | 'write';
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
}

export interface ExpectedCall {
  readonly target: string;
  readonly with: JsonObject;
}

/** One way in which it can go: what the tools answer, and what must be called then. */
export interface TaskCase {
  readonly inputs: JsonObject;
  /** By `server/tool`: the answer, or one for each value of an argument. */
  readonly answers: Readonly<
    Record<string, Json | { readonly by: string; readonly each: Readonly<Record<string, Json>> }>
  >;
  /** Targets that fail. */
  readonly failing?: readonly string[];
  /** What a person answers to each question. */
  readonly says?: JsonObject;
  /** All writes, in any order; reads are free. */
  readonly calls: readonly ExpectedCall[];
}

export interface AuthoringTask {
  readonly name: string;
  readonly words: string;
  readonly tools: readonly TaskTool[];
  readonly cases: readonly TaskCase[];
  /** What a scripted author hands in, one after the other; the last is right. */
  readonly attempts: readonly string[];
}
