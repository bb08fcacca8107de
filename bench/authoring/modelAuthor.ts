/** An author that is a model of a provider: it sees the language, the tools, the task, and what the checker found. */
import { languageGuide } from '@baton/language';
import { createModels } from '@baton/models';
import type { JsonObject } from '@baton/primitives';
import { ModelsConfig } from '@baton/protocol';

import type { TaskAuthor } from './author.ts';

export interface ModelAuthorOptions {
  readonly kind: 'anthropic' | 'openai';
  readonly model: string;
  /** Where the provider's API is, with `/v1`; absent: at the provider itself. */
  readonly url?: string | undefined;
  /** Looks for the key: `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`. */
  readonly env: (name: string) => string | undefined;
}

/** The author rejects with `FailureError` if the model cannot be asked. */
export function modelAuthor({ kind, model, url, env }: ModelAuthorOptions): TaskAuthor {
  const provider = { kind, model, ...(url !== undefined && { url }) };
  const config = ModelsConfig.parse({ default: 'one', providers: { one: provider } });
  const models = createModels(config, { env, secret: async () => undefined, workspaceFolder: '.' });
  return async ({ words, tools }, told) => {
    const last = told.at(-1);
    const parts = [
      languageGuide(),
      `# Tools\n\n${JSON.stringify(tools)}`,
      `# Task\n\n${words}\n\nAnswer with the workflow alone, as YAML in one code fence.`,
      ...(last === undefined ? [] : [`# Your last text has findings\n\n${last.findings.join('\n')}`]),
    ];
    const messages = [{ role: 'user', content: { type: 'text', text: parts.join('\n\n') } }];
    const request: JsonObject = { messages, maxTokens: 2_048 };
    const context = {
      runId: 'bench',
      attemptKey: 'bench',
      signal: new AbortController().signal,
      timeout: {},
      onProgress: () => undefined,
    };
    const { result, usage } = await models.sample(request, { context });
    const { text = '' } = result['content'] as { readonly text?: string };
    const source = /```\w*\n([\s\S]*?)```/.exec(text)?.[1] ?? text;
    return { source, tokens: (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0) };
  };
}
