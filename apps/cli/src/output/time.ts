/** Parses an instant of the API to epoch milliseconds; undefined if there is none, or it is invalid. */
export function instantOf(text: string | undefined): number | undefined {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}
