/** The AI SDK's model for a remote provider, with its options. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { JSONValue, LanguageModel } from 'ai';

import type { RemoteConfig, ResolvedProvider } from './credentials.ts';
import { checkStreamed } from './notStreamed.ts';

/** Refuses redirects, which would send the API key to another server. */
const fetchWithoutRedirects: typeof fetch = async (input, init) =>
  checkStreamed(init?.body, await fetch(input, { ...init, redirect: 'error' }));

export function remoteModel(
  config: RemoteConfig,
  id: string,
  { url, apiKey = '', headers }: ResolvedProvider,
): LanguageModel {
  const settings = { baseURL: url, apiKey, headers, fetch: fetchWithoutRedirects };
  switch (config.kind) {
    case 'anthropic':
      return createAnthropic(settings)(id);
    case 'openai': {
      const openai = createOpenAI(settings);
      return config.api === 'chat' ? openai.chat(id) : openai.responses(id);
    }
    case 'openai-compatible': {
      const { structuredOutputs: supportsStructuredOutputs } = config;
      return createOpenAICompatible({
        name: 'compatible',
        baseURL: url,
        headers,
        fetch: fetchWithoutRedirects,
        includeUsage: true,
        supportsStructuredOutputs,
        // Without a key no header is sent: many local servers need none.
        ...(apiKey === '' ? {} : { apiKey }),
      })(id);
    }
  }
}

export type ProviderOptions = Readonly<Record<string, Record<string, JSONValue>>>;

export function optionsFor(config: RemoteConfig, userId: string | undefined): ProviderOptions {
  // Strict schemas must name every property as required, which an author's schema need not: the answer is checked here.
  const strictJsonSchema = false;
  const user = userId === undefined ? {} : { user: userId };
  switch (config.kind) {
    case 'anthropic':
      return userId === undefined ? {} : { anthropic: { metadata: { userId } } };
    case 'openai':
      // OpenAI must not store the requests of runs.
      return { openai: { store: false, strictJsonSchema, ...user } };
    case 'openai-compatible':
      return { compatible: { strictJsonSchema, ...user } };
  }
}
