import type { Usage } from '@baton/engine';

import type { ModelConfig } from './config.ts';

export function addUsage(one: Usage, other: Usage): Usage {
  return {
    ...sum('inputTokens', one, other),
    ...sum('outputTokens', one, other),
    ...sum('usd', one, other),
  };
}

function sum(field: keyof Usage, one: Usage, other: Usage): Usage {
  if (one[field] === undefined && other[field] === undefined) return {};
  return { [field]: (one[field] ?? 0) + (other[field] ?? 0) };
}

/** With what it cost, where the model's price is configured. */
export function priced(usage: Usage, { price }: ModelConfig): Usage {
  if (price === undefined) return usage;
  const { inputTokens = 0, outputTokens = 0 } = usage;
  return { ...usage, usd: (inputTokens * price.input + outputTokens * price.output) / 1e6 };
}
