/** What models cost, in words. */

/** Small sums keep two digits that are not 0. */
export function dollarsText(usd: number): string {
  if (usd > 0 && usd < 1e-6) return 'less than $0.000001';
  if (usd > 0 && usd < 0.01) return `$${usd.toPrecision(2)}`;
  return `$${usd.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

export const tokensText = (tokens: number): string => tokens.toLocaleString('en');

/** Of a run: the tokens alone where its models have no price. */
export function spentText({ usd, tokens }: { readonly usd?: number | undefined; readonly tokens: number }): string {
  return usd === undefined || usd === 0 ? `${tokensText(tokens)} tokens` : dollarsText(usd);
}
