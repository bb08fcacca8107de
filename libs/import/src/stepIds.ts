/** Makes valid names of workflows and steps from arbitrary names. */
import { excerpt } from '@baton/expressions';
import { inAscii } from '@baton/primitives';

import { type StepDraft, plain } from './importing.ts';

/** A name of lower case words with hyphens, valid for workflows, servers and hooks. */
export function slugOf(text: string, otherwise: string): string {
  const slug = inAscii(text)
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .replace(/[^A-Za-z\d]+/g, '-')
    .toLowerCase()
    .slice(0, 60)
    .replace(/^-+|-+$/g, '');
  return slug === '' ? otherwise : slug;
}

/** Makes unique step ids: words with underscores. */
export class StepIds {
  readonly #taken = new Set<string>();

  take(text: string, otherwise: string): string {
    const word = slugOf(text, otherwise).replaceAll('-', '_').slice(0, 40);
    const base = /^[a-z_]/.test(word) ? word : `step_${word}`;
    for (let n = 1; ; n += 1) {
      const id = n === 1 ? base : `${base}_${n}`;
      if (this.#taken.has(id)) continue;
      this.#taken.add(id);
      return id;
    }
  }
}

/** A `title`, if the id does not say the same. */
export const titled = (name: string, id: string): StepDraft =>
  slugOf(name, '').replaceAll('-', '_') === id ? {} : { title: excerpt(plain(name), 120) };
