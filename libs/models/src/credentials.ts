/** Resolves the references in a provider's configuration just before each request, because secrets change. */
import { FailureError } from '@baton/engine';
import { fillReferences, type Lookups, type ProviderConfig, referencesIn } from '@baton/protocol';

export type RemoteConfig = Exclude<ProviderConfig, { kind: 'scripted' }>;

export interface ResolvedProvider {
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Values that must never be shown. */
  readonly secrets: readonly string[];
}

/** Default address and key of each kind of provider. */
const defaultProviders = {
  anthropic: { url: 'https://api.anthropic.com/v1', apiKey: '${env:ANTHROPIC_API_KEY}' },
  openai: { url: 'https://api.openai.com/v1', apiKey: '${env:OPENAI_API_KEY}' },
  'openai-compatible': { url: '', apiKey: undefined },
} as const;

/**
 * Rejects with `FailureError`: `model-failed` if a reference has no value, `model-unavailable` if a secret cannot be
 * looked up.
 */
export async function resolveProvider(
  provider: string,
  config: RemoteConfig,
  lookups: Lookups,
): Promise<ResolvedProvider> {
  const url = config.url ?? defaultProviders[config.kind].url;
  const apiKey = config.apiKey ?? defaultProviders[config.kind].apiKey;
  const texts = [url, apiKey ?? '', ...Object.values(config.headers)];
  const values = new Map<string, string>();
  for (const { kind, name, source, fallback } of texts.flatMap(referencesIn)) {
    const value = (kind === 'secret' ? await secretOf(name, provider, lookups) : lookups.env(name)) ?? fallback;
    if (value === undefined) {
      const what = kind === 'secret' ? 'secret' : 'environment variable';
      throw new FailureError('model-failed', `The provider ${provider} needs the ${what} ${name}, which is not set.`);
    }
    values.set(source, value);
  }
  const fill = (text: string): string => fillReferences(text, ({ source }) => values.get(source));
  const headers = Object.fromEntries(Object.entries(config.headers).map(([name, text]) => [name, fill(text)]));
  const key = apiKey === undefined ? undefined : fill(apiKey);
  // A key written as plain text in the file is a secret, too.
  const secrets = [...values.values(), ...Object.values(headers), ...(key === undefined ? [] : [key])];
  return { url: fill(url), apiKey: key, headers, secrets };
}

async function secretOf(name: string, provider: string, lookups: Lookups): Promise<string | undefined> {
  try {
    return await lookups.secret(name, `models/${provider}`);
  } catch (cause) {
    // The secret is bound to other providers.
    if (cause instanceof FailureError) throw new FailureError('model-failed', cause.failure.message, { cause });
    throw new FailureError('model-unavailable', `The secret ${name} cannot be looked up now.`, { cause });
  }
}
