/** What a check may know beside the file itself. */
import type { Type } from '../expression/type.ts';
import type { JsonSchema } from '../json.ts';
import type { DecidedEffect } from '../plan.ts';
import type { ServerOffers } from '../servers/offer.ts';
import type { SecretBinding } from '../servers/secretBinding.ts';

/** What a child run takes and gives. */
export interface WorkflowSignature {
  readonly inputs: JsonSchema;
  /** Made by `signatureOf`, and of use only to the check. */
  readonly outputs: Type;
}

export interface CheckOptions {
  /** The codes that failures can have, for `match`; absent: any code will do. */
  readonly failureCodes?: Iterable<string>;
  /** All configured servers, with what they offer; absent: nothing is held against servers. */
  readonly servers?: ServerOffers;
  /** What is deployed, by `id` and by `id@version`; absent: not known. */
  readonly workflows?: ReadonlyMap<string, WorkflowSignature>;
  /** All secrets that are stored, by name, with what they are bound to; absent: not known. */
  readonly secrets?: ReadonlyMap<string, SecretBinding>;
  /** Names of secrets with which webhooks of deployed workflows are signed; absent: not known. */
  readonly hookSecrets?: ReadonlySet<string>;
  /** Of tools, by `server/tool`, that are not what the version before was checked against: a sentence. */
  readonly drift?: ReadonlyMap<string, string>;
  /**
   * Told of each schema before it is looked at: `server/tool`, or its JSON pointer in the file. Where this does not return
   * soon, the check may be ended, and made again with what it was told last among the `spared`.
   */
  readonly onSchema?: (named: string) => void;
  /** Schemas that are not to be looked at, since that takes too long. */
  readonly skippedSchemas?: ReadonlySet<string>;
  /** What the server configuration, or the tool's annotations, say of a tool that its step says nothing about. */
  readonly effects?: (server: string, tool: string) => DecidedEffect | undefined;
}
