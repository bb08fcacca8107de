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

/** An argument of a tool, a value of the servers file, the signature of a callback, or that of a webhook. */
interface PurposedUse extends SecretUse {
  readonly as: 'argument' | 'setting' | 'callback' | 'webhook';
}

/** What may not have a secret that signs a webhook: the receiver could sign deliveries that the webhook accepts. */
const signsWebhook: Readonly<Partial<Record<PurposedUse['as'], (name: string) => string>>> = {
  argument: (name) => `A webhook is signed with the secret "${name}": no tool may receive it.`,
  callback: (name) => `The secret "${name}" signs a webhook: it must not sign a callback.`,
};

/** `refused`: a sentence that says why this use is not allowed. */
export type SecretForUse = Pick<RevealedSecret, 'value' | 'before'> | { readonly refused: string };

/** Each method rejects with `UnavailableError`. */
export class BoundSecrets {
  readonly #source: SecretSource;
  readonly #known: KnownSecrets;
  /** The secrets that sign the webhooks of deployed workflows. */
  readonly hooks: () => Promise<readonly HookSecret[]>;

  constructor(
    source: SecretSource,
    { known, hooks }: { readonly known: KnownSecrets; readonly hooks: () => Promise<readonly HookSecret[]> },
  ) {
    this.#source = source;
    this.#known = known;
    this.hooks = hooks;
  }

  list(page?: SecretPage): Promise<SecretList> {
    return this.#source.list(page);
  }

  /** The bindings of all secrets, by name. */
  async bindings(): Promise<ReadonlyMap<string, SecretBinding>> {
    const { secrets } = await this.#source.list();
    return new Map(secrets.map((secret) => [secret.name, secret]));
  }

  /** Says why the use is not allowed; undefined if it is, or if there is no such secret. Reveals nothing. */
  async refusal(name: string, use: PurposedUse): Promise<string | undefined> {
    const binding = (await this.bindings()).get(name);
    return refusalOf({ name, binding, use, hookSecrets: await this.#hookSecrets(use) });
  }

  /** By name; leaves out missing secrets, and those that cannot be read. */
  async reveal(names: readonly string[], use: PurposedUse): Promise<ReadonlyMap<string, SecretForUse>> {
    const revealed = await this.#source.reveal(names);
    const hookSecrets = revealed.size === 0 ? none : await this.#hookSecrets(use);
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
  async #hookSecrets({ as }: PurposedUse): Promise<ReadonlySet<string>> {
    return as in signsWebhook ? new Set((await this.hooks()).map(({ secret }) => secret)) : none;
  }
}

const none: ReadonlySet<string> = new Set();

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
  if (hookSecrets.has(name)) return signsWebhook[use.as]?.(name);
  return binding && existsFor(binding, use) ? whyNotUsed(name, binding, use) : undefined;
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
