/**
 * The secrets of an installation, from any source. A value is revealed here and nowhere else: for a use that the secret's
 * bindings allow, and after redaction knows it, since an answer may contain it.
 */
import { FailureError } from '@baton/engine';
import { type SecretBinding, type SecretUse, type WebhookTrigger, isSecretOf, whyNotUsed } from '@baton/language';
import { defined } from '@baton/primitives';

import type { Secrets } from '../ports/ports.ts';
import type { RevealedSecret, SecretList, SecretPage, SecretSource } from '../ports/secretSource.ts';
import type { KnownSecrets } from '../redact/knownSecrets.ts';

/** The secret and the scheme that sign a webhook. */
export type HookSecret = Pick<WebhookTrigger, 'secret' | 'scheme'>;

/** A webhook in the newest version of a deployed workflow. */
export interface DeployedHook extends HookSecret {
  readonly workflow: string;
}

/** What the newest versions of deployed workflows use secrets for. */
export interface DeployedSecretUses {
  readonly hooks: readonly DeployedHook[];
  /** Of tools. */
  readonly arguments: readonly { readonly workflow: string; readonly secret: string }[];
}

/** An argument of a tool, a value of the servers file, the signature of a callback, or that of a webhook. */
interface PurposedUse extends SecretUse {
  readonly as: 'argument' | 'setting' | 'callback' | 'webhook';
}

const wayOut = 'Give the webhook a secret of its own, or bind this one to the workflows that use it.';

/** What may not have a secret that signs a webhook: the receiver could sign deliveries that the webhook accepts. */
const signsWebhook: Readonly<Partial<Record<PurposedUse['as'], (name: string) => string>>> = {
  argument: (name) => `A webhook is signed with the secret "${name}": no tool may receive it. ${wayOut}`,
  callback: (name) => `The secret "${name}" signs a webhook: it must not sign a callback. ${wayOut}`,
};

/** `refused`: a sentence that says why this use is not allowed. */
export type SecretForUse = Pick<RevealedSecret, 'value' | 'before'> | { readonly refused: string };

/** Each method rejects with `UnavailableError`. */
export class BoundSecrets {
  readonly #source: SecretSource;
  readonly #known: KnownSecrets;
  readonly #deployed: () => Promise<DeployedSecretUses>;

  constructor(
    source: SecretSource,
    { known, deployed }: { readonly known: KnownSecrets; readonly deployed: () => Promise<DeployedSecretUses> },
  ) {
    this.#source = source;
    this.#known = known;
    this.#deployed = deployed;
  }

  list(page?: SecretPage): Promise<SecretList> {
    return this.#source.list(page);
  }

  /** The bindings of all secrets, by name. */
  async bindings(): Promise<ReadonlyMap<string, SecretBinding>> {
    const { secrets } = await this.#source.list();
    return new Map(secrets.map((secret) => [secret.name, secret]));
  }

  /**
   * What deployed workflows use secrets for. A workflow that a secret is not bound to does not use it, even if its text
   * names it: else it could take the secret from those that do.
   */
  async deployedUses(): Promise<DeployedSecretUses> {
    const { hooks, arguments: given } = await this.#deployed();
    const isUsed = isUsedAmong(await this.bindings());
    return { hooks: hooks.filter(isUsed), arguments: given.filter(isUsed) };
  }

  /** The webhooks of deployed workflows that name the secret, and would use it if it were bound like this. */
  async hooksNaming(name: string, binding: SecretBinding): Promise<readonly DeployedHook[]> {
    const { hooks } = await this.#deployed();
    return hooks.filter(({ secret, workflow }) => secret === name && isSecretOf(binding, workflow));
  }

  /** Says why the use is not allowed; undefined if it is, or if there is no such secret. Reveals nothing. */
  async refusal(name: string, use: PurposedUse): Promise<string | undefined> {
    const bindings = await this.bindings();
    return refusalOf({ name, binding: bindings.get(name), use, hookSecrets: await this.#hookSecrets(use, bindings) });
  }

  /** By name; leaves out missing secrets, and those that cannot be read. */
  async reveal(names: readonly string[], use: PurposedUse): Promise<ReadonlyMap<string, SecretForUse>> {
    const revealed = await this.#source.reveal(names);
    const hookSecrets = revealed.size === 0 ? none : await this.#hookSecrets(use, revealed);
    const forUse = new Map<string, SecretForUse>();
    for (const [name, { value, before, ...binding }] of revealed) {
      if (!existsFor(binding, use)) continue;
      const refused = refusalOf({ name, binding, use, hookSecrets });
      if (refused === undefined) this.#known.learn(`secret ${name}`, [value]);
      forUse.set(name, refused === undefined ? { value, ...defined({ before }) } : { refused });
    }
    return forUse;
  }

  /** Reveals the arguments of a step. Never cached, so that a change takes effect at once. */
  readonly ofStep: Secrets = async (names, use) => {
    const revealed = await this.reveal(names, { ...use, as: 'argument' });
    const missing = names.filter((name) => !revealed.has(name));
    if (missing.length > 0) throw noSecret(missing);
    return Object.fromEntries([...revealed].map(([name, found]) => [name, valueOf(found, 'invalid-arguments')]));
  };

  /** The text without the values of secrets that were revealed. */
  redacted(text: string): string {
    return this.#known.redactor.text(text);
  }

  /**
   * Looks up a value of the servers file when it is needed; undefined where there is none. `server`: as in `SecretBinding`.
   * Rejects with `FailureError` where the secret is bound to others.
   */
  readonly ofServer = async (name: string, server: string): Promise<string | undefined> => {
    const found = (await this.reveal([name], { server, as: 'setting' })).get(name);
    return found && valueOf(found, 'server-unreachable');
  };

  /** The secrets that sign webhooks, for a use that may not have them. A webhook may have been deployed after a binding. */
  async #hookSecrets({ as }: PurposedUse, bindings: ReadonlyMap<string, SecretBinding>): Promise<ReadonlySet<string>> {
    if (!(as in signsWebhook)) return none;
    const { hooks } = await this.#deployed();
    return new Set(hooks.filter(isUsedAmong(bindings)).map(({ secret }) => secret));
  }
}

const none: ReadonlySet<string> = new Set();

const isUsedAmong =
  (bindings: ReadonlyMap<string, SecretBinding>) =>
  ({ workflow, secret }: { readonly workflow: string; readonly secret: string }): boolean =>
    isSecretOf(bindings.get(secret) ?? {}, workflow);

interface AskedUse {
  readonly name: string;
  readonly binding: SecretBinding | undefined;
  readonly use: PurposedUse;
  readonly hookSecrets: ReadonlySet<string>;
}

/** For another workflow than those of its binding a secret is one that is not stored. */
const existsFor = (binding: SecretBinding, { workflow }: SecretUse): boolean =>
  workflow === undefined || isSecretOf(binding, workflow.id);

function refusalOf({ name, binding, use, hookSecrets }: AskedUse): string | undefined {
  if (binding && !existsFor(binding, use)) return undefined;
  if (hookSecrets.has(name)) return signsWebhook[use.as]?.(name);
  return binding && whyNotUsed(name, binding, use);
}

/** Throws `FailureError`. */
function valueOf(found: SecretForUse, code: 'invalid-arguments' | 'server-unreachable'): string {
  if ('refused' in found) throw new FailureError(code, found.refused, { delivery: 'unsent' });
  return found.value;
}

function noSecret(names: readonly string[]): FailureError {
  const which = names.map((name) => `"${name}"`).join(', ');
  const message = `No secret ${which} is stored, or it is encrypted with another key than this worker's. Set it with \`baton secrets set ${names[0]}\`.`;
  return new FailureError('invalid-arguments', message, { delivery: 'unsent', details: { secrets: [...names] } });
}
