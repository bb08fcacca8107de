/** Tokens, money and tool calls. */
export interface Spending {
  readonly toolCalls: number;
  readonly tokens: number;
  readonly usd: number;
}

export const nothingSpent: Spending = { toolCalls: 0, tokens: 0, usd: 0 };
