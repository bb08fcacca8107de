/** What a check may know besides the file. */
import type { Type } from '@baton/expressions';
import type { Json, JsonSchema } from '@baton/primitives';

import type { DecidedEffect } from '../plan.ts';
import type { Declarations } from '../servers/declaration.ts';
import type { ServerOffers } from '../servers/offer.ts';
import type { SecretBinding } from '../servers/secretBinding.ts';

/** Inputs and outputs of a child run. */
export interface WorkflowSignature {
  readonly inputs: JsonSchema;
  /** Made by `signatureOf`; only the check uses it. */
  readonly outputs: Type;
  /** Something that it does besides reading, in words; absent: nothing is known of it. */
  readonly writing?: string;
}

/** The newest value of a key of a workflow's state. */
interface StoredKey {
  readonly value: Json;
  /** The run, the trigger or the person that wrote it, in words. */
  readonly by: string;
}

export interface CheckOptions {
  /** The codes that failures can have, for `match`; absent: any code is valid. */
  readonly failureCodes?: Iterable<string>;
  /** Epoch milliseconds, for times that are written out; absent: not known. */
  readonly nowMs?: number | undefined;
  /** All configured servers, with what they offer; absent: calls are not checked against servers. */
  readonly servers?: ServerOffers;
  /** Deployed workflows, by `id` and by `id@version`; absent: not known. */
  readonly workflows?: ReadonlyMap<string, WorkflowSignature>;
  /** All secrets that are stored, by name, with what they are bound to; absent: not known. */
  readonly secrets?: ReadonlyMap<string, SecretBinding>;
  /** Names of secrets with which webhooks of deployed workflows are signed; absent: not known. */
  readonly hookSecrets?: ReadonlySet<string>;
  /** Names of secrets that other deployed workflows give to tools; absent: not known. */
  readonly toolSecrets?: ReadonlySet<string>;
  /** What earlier runs have left of the workflow's state, by key; absent: not known. */
  readonly storedState?: ReadonlyMap<string, StoredKey>;
  /** Sentences about tools, by `server/tool`, that differ from those that the previous version was checked against. */
  readonly drift?: ReadonlyMap<string, string>;
  /**
   * Called before each schema is read, with `server/tool` or its JSON pointer in the file. If the check then takes too
   * long, the caller may end it and repeat it with that name in `skippedSchemas`.
   */
  readonly onSchema?: (named: string) => void;
  /** Schemas that take too long to read. */
  readonly skippedSchemas?: ReadonlySet<string>;
  /** The effect of a tool by the server configuration or the tool's annotations, for steps without `effect`. */
  readonly effects?: (server: string, tool: string) => DecidedEffect | undefined;
  /** What the server configuration declares for the calls of a tool. */
  readonly declarations?: Declarations;
  /** Types of answers, by `server/tool`, where the tool has changed: they count, and not its output schema. */
  readonly answers?: ReadonlyMap<string, Type>;
}
