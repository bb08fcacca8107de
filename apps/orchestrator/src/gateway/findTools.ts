/** Searches tools by words, for clients with too many tools to list. */
import type { OfferedTool } from './serverOffers.ts';

const wordsIn = (text: string): readonly string[] =>
  text
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1);

/** The score of a word by where it occurs. */
const weights = { name: 4, title: 3, server: 2, description: 1 } as const;

/** Whether one word begins with the other: the same word with another ending. */
const isStem = (a: string, b: string): boolean =>
  Math.min(a.length, b.length) > 3 && (a.startsWith(b) || b.startsWith(a));

function scoreOf({ server, tool }: OfferedTool, wanted: readonly string[]): number {
  const { name, title = '', description = '' } = tool;
  const fields: Readonly<Record<keyof typeof weights, ReadonlySet<string>>> = {
    name: new Set(wordsIn(name)),
    title: new Set(wordsIn(title)),
    server: new Set(wordsIn(server)),
    description: new Set(wordsIn(description)),
  };
  let score = 0;
  for (const word of wanted) {
    for (const [field, weight] of Object.entries(weights)) {
      const words = fields[field as keyof typeof weights];
      if (words.has(word)) score += weight;
      else if ([...words].some((one) => isStem(one, word))) {
        score += weight / 2;
      }
    }
  }
  return score;
}

/** The best match first; all tools in their order if the query is empty. */
export function findTools(tools: readonly OfferedTool[], query: string, limit: number): readonly OfferedTool[] {
  const wanted = [...new Set(wordsIn(query))];
  if (wanted.length === 0) return tools.slice(0, limit);
  return tools
    .map((tool) => ({ tool, score: scoreOf(tool, wanted) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ tool }) => tool);
}

/** The first sentence of a tool's description. */
export function oneLine({ description = '', title = '' }: OfferedTool['tool']): string {
  const text = (description === '' ? title : description).replace(/\s+/g, ' ').trim();
  const sentence = /^.*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;
  return sentence.length <= 160 ? sentence : `${sentence.slice(0, 157)}…`;
}
