import { type Usage, isTokenCount } from '@baton/engine';
import type { ModelConfig } from '@baton/protocol';

export function addUsage(one: Usage, other: Usage): Usage {
  return {
    ...(one.model === undefined ? {} : { model: one.model }),
    ...sum('inputTokens', one, other),
    ...sum('outputTokens', one, other),
    ...sum('usd', one, other),
    ...(one.estimated === true || other.estimated === true ? { estimated: true as const } : {}),
  };
}

function sum(field: 'inputTokens' | 'outputTokens' | 'usd', one: Usage, other: Usage): Usage {
  if (one[field] === undefined && other[field] === undefined) return {};
  return { [field]: (one[field] ?? 0) + (other[field] ?? 0) };
}

const charactersPerToken = 4;

export const tokensIn = (characters: number): number => Math.ceil(characters / charactersPerToken);

/** The usage that the provider reports, or an estimate, marked as such, where it reports no number of tokens. */
export function countedUsage(
  {
    inputTokens,
    outputTokens,
  }: { readonly inputTokens?: number | undefined; readonly outputTokens?: number | undefined },
  characters: { readonly asked: number; readonly answered: number },
): Usage {
  if (isTokenCount(inputTokens) && isTokenCount(outputTokens)) return { inputTokens, outputTokens };
  return {
    inputTokens: isTokenCount(inputTokens) ? inputTokens : tokensIn(characters.asked),
    outputTokens: isTokenCount(outputTokens) ? outputTokens : tokensIn(characters.answered),
    estimated: true,
  };
}

/** Adds the cost in US dollars if the model's price is configured. */
export function priced(usage: Usage, { price }: ModelConfig): Usage {
  if (price === undefined) return usage;
  const { inputTokens = 0, outputTokens = 0 } = usage;
  return { ...usage, usd: (inputTokens * price.input + outputTokens * price.output) / 1e6 };
}
