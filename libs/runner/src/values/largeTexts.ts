/**
 * Writes JSON of values that may hold a large text, such as ten megabytes that one tool passes to the next. The quoted
 * form is cached, because quoting is most of the cost and the same text occurs in a result and in later arguments.
 */

import type { Json } from '@baton/primitives';

/** Characters of a large text. Quoting a shorter one costs less than looking it up. */
const largeCharacters = 64 * 1024;
/** Characters kept at most, of texts and of quoted texts each. */
const keptMax = 16 * 1024 * 1024;
/** Large texts are not searched deeper, or in larger collections. */
const depthMax = 6;
const entriesMax = 64;

/** Keeps the most recently quoted large texts. */
export class LargeTexts {
  /** Newest last. */
  readonly #known = new Map<string, string>();
  #kept = 0;

  /** The same text as `JSON.stringify(value)`. `value`: JSON, in which a member may be undefined. */
  json(value: Json | object): string {
    if (!holdsLargeText(value, 0)) return JSON.stringify(value);
    const parts: string[] = [];
    this.#write(value, 0, parts);
    return parts.join('');
  }

  #write(value: unknown, depth: number, parts: string[]): void {
    if (typeof value === 'string' && value.length >= largeCharacters) parts.push(this.#quoted(value));
    else if (typeof value !== 'object' || value === null || !holdsLargeText(value, depth))
      parts.push(JSON.stringify(value) ?? 'null');
    else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        parts.push(index === 0 ? '[' : ',');
        this.#write(item, depth + 1, parts);
      }
      parts.push(']');
    } else {
      let separator = '{';
      for (const [key, item] of Object.entries(value)) {
        if (item === undefined) continue;
        parts.push(`${separator}${JSON.stringify(key)}:`);
        this.#write(item, depth + 1, parts);
        separator = ',';
      }
      parts.push('}');
    }
  }

  #quoted(text: string): string {
    const before = this.#known.get(text);
    if (before !== undefined) return before;
    const made = JSON.stringify(text);
    if (made.length > keptMax) return made;
    this.#known.set(text, made);
    this.#kept += made.length;
    for (const [oldest, its] of this.#known) {
      if (this.#kept <= keptMax) break;
      this.#known.delete(oldest);
      this.#kept -= its.length;
    }
    return made;
  }
}

function holdsLargeText(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.length >= largeCharacters;
  if (typeof value !== 'object' || value === null || depth > depthMax) return false;
  if (Array.isArray(value)) return value.length <= entriesMax && value.some((item) => holdsLargeText(item, depth + 1));
  let entries = 0;
  for (const key in value) {
    entries += 1;
    if (entries > entriesMax) return false;
    if (holdsLargeText(value[key as keyof typeof value], depth + 1)) return true;
  }
  return false;
}
