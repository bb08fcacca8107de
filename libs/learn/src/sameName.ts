/** Compares names of members as people do: `nextCursor` and `cursor`, `next_page_token` and `pageToken`. */
import { isUuid } from '@baton/primitives';

const wordsIn = (name: string): readonly string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z\d]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());

/** Shorter endings, such as `id`, are shared by chance. */
const endingMin = 4;

/** Whether both name the same: they are equal, or one ends as the other does. */
export function isSameName(one: string, other: string): boolean {
  const [short = [], long = []] = [wordsIn(one), wordsIn(other)].toSorted((a, b) => a.length - b.length);
  const ending = long.slice(long.length - short.length);
  if (short.length === 0 || short.join('') !== ending.join('')) return false;
  return short.length === long.length || short.join('').length >= endingMin;
}

/** Whether a member with this name says where the next page begins. */
export const isCursorName = (name: string): boolean =>
  wordsIn(name).some((word) => /^(?:next|cursor|token|after|continu\w*|offset|page|marker|bookmark)$/.test(word));

/** Whether the value says which order, payment or person is meant, and so belongs to one run alone. */
export function isIdentifying(key: string, value: unknown): boolean {
  const last = wordsIn(key).at(-1) ?? '';
  if (identifying.test(last)) return true;
  if (typeof value !== 'string') return false;
  return /^[A-Za-z]{1,6}[-_#]?\d+[\w-]*$/.test(value) || /^[^\s@/]+@[^\s@]+\.\w+$/.test(value) || isUuid(value);
}

const identifying =
  /^(?:items|ids?|uuid|key|code|ref|reference|number|no|iban|account|order|payment|invoice|charge|refund|customer|person|user|login|owner|author|member|email|mail|phone|recipient|to|cc|bcc|amount|total|price|sum|quantity)$/;
