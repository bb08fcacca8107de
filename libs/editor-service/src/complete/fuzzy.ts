/** Matches typed words with names, titles and descriptions. */
export interface SearchedEntry {
  readonly name: string;
  readonly title: string;
  readonly description: string;
}

/** The matches, best first. Every typed word must occur somewhere. */
export function ranked<T extends SearchedEntry>(typed: string, all: readonly T[]): T[] {
  const words = typed
    .toLowerCase()
    .split(/[^a-z0-9\u0080-\uffff]+/)
    .filter((word) => word !== '');
  if (words.length === 0) return [...all];
  const scored = all.flatMap((one) => {
    const scores = words.map((word) => scoreOf(word, one));
    return scores.includes(0) ? [] : [{ one, score: scores.reduce((sum, score) => sum + score, 0) }];
  });
  return scored.toSorted((a, b) => b.score - a.score || (a.one.name < b.one.name ? -1 : 1)).map(({ one }) => one);
}

/** 0 if the word does not occur. */
function scoreOf(word: string, { name, title, description }: SearchedEntry): number {
  const lower = name.toLowerCase();
  if (lower.split(/[^a-z0-9]+/).some((part) => part.startsWith(word))) return 8;
  if (lower.includes(word)) return 6;
  if (title.toLowerCase().includes(word)) return 4;
  if (description.toLowerCase().includes(word)) return 2;
  return isSubsequence(word, lower) ? 1 : 0;
}

function isSubsequence(word: string, name: string): boolean {
  let at = 0;
  for (const one of name) if (one === word[at]) at++;
  return word.length > 2 && at === word.length;
}
