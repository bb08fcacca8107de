/** Searches tools by words, for clients with too many tools to list. */
import { stemsIn, synonymsOf } from './searchWords.ts';
import type { OfferedTool } from './serverOffers.ts';

/** The score of a word by where it occurs. */
const weights = { name: 4, title: 3, server: 2, line: 2, description: 1 } as const;

/** A word with the same meaning counts less than the word itself. */
const synonymWeight = 0.6;

type Fields = Readonly<Record<keyof typeof weights, ReadonlySet<string>>>;

function fieldsOf({ server, tool }: OfferedTool): Fields {
  const { name, title = '', description = '' } = tool;
  const stems = (text: string): ReadonlySet<string> => new Set(stemsIn(text));
  return {
    name: stems(name),
    title: stems(title),
    server: stems(server),
    line: stems(oneLine(tool)),
    description: stems(description),
  };
}

/** Where the word, or one with its meaning, occurs with the largest weight; 0: nowhere. */
function scoreOf(fields: Fields, word: string): number {
  let best = 0;
  for (const [field, weight] of Object.entries(weights)) {
    const words = fields[field as keyof typeof weights];
    if (words.has(word)) best = Math.max(best, weight);
    else if (best < weight * synonymWeight && !words.isDisjointFrom(synonymsOf(word))) best = weight * synonymWeight;
  }
  return best;
}

/** The best match first; all tools in their order if the query is empty. A word that few tools have counts more. */
export function findTools(tools: readonly OfferedTool[], query: string, limit: number): readonly OfferedTool[] {
  const wanted = [...new Set(stemsIn(query))];
  if (query.trim() === '') return tools.slice(0, limit);
  const searched = tools.map((tool) => ({ tool, fields: fieldsOf(tool), score: 0 }));
  for (const word of wanted) {
    const scores = searched.map(({ fields }) => scoreOf(fields, word));
    const having = scores.filter((score) => score > 0).length;
    const rarity = Math.log(1 + tools.length / Math.max(1, having));
    for (const [index, one] of searched.entries()) one.score += rarity * (scores[index] ?? 0);
  }
  return searched
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
