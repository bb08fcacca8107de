/** A message in whole sentences, and its hint, which is written in lower case, as the sentence after it. */
export function withHint(message: string, hint: string | undefined): string {
  if (hint === undefined) return message;
  return `${message} ${hint.charAt(0).toUpperCase()}${hint.slice(1)}${/[.?!…]$/.test(hint) ? '' : '.'}`;
}
