const token = /\s*("[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]|[^\s"{}[\]:,]+)/gy;

/** The brackets, marks, texts, numbers and words of a text that is JSON. */
export function* jsonTokens(text: string): Generator<string, void> {
  for (const [, found = ''] of text.matchAll(token)) yield found;
}
