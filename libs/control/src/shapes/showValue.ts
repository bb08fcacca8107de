/** Shows values in answers: whole, or, if they are too large, their beginning. */
import { type Value, valueView } from '@baton/engine';
import { limits } from '@baton/expressions';
import type { Verb } from '@baton/language';
import type { Json } from '@baton/primitives';

export interface ShowLimits {
  /** Limit of one value. */
  readonly valueBytes: number;
  /** Limit of all values of one answer together. */
  readonly totalBytes: number;
}

export class ValueDisplay {
  readonly #limits: ShowLimits;
  #bytes = 0;

  constructor(limits: ShowLimits) {
    this.#limits = limits;
  }

  value(value: Value): Json {
    if ('list' in value) {
      const here = value.list.flatMap((one) => ('json' in one ? [one.json] : []));
      return here.length === value.list.length ? this.#json(here) : value.list.map((one) => this.value(one));
    }
    return 'blob' in value ? large(value.blob) : this.#json(value.json);
  }

  /** The value that expressions read as the step's `.output`. */
  output(verb: Verb, value: Value): Json {
    return 'json' in value ? this.#json(valueView(verb, value.json)['output'] ?? null) : this.value(value);
  }

  #json(json: Json): Json {
    if (typeof json === 'number' || typeof json === 'boolean' || json === null) return json;
    const text = JSON.stringify(json);
    const bytes = Buffer.byteLength(text);
    const isWhole = bytes <= this.#limits.valueBytes && this.#bytes + bytes <= this.#limits.totalBytes;
    // One large value must not hide the small ones after it.
    this.#bytes += isWhole ? bytes : limits.value.previewCharacters;
    return isWhole ? json : large({ bytes, preview: text });
  }
}

const large = ({ bytes, preview, sha256 }: { bytes: number; preview: string; sha256?: string }): Json => ({
  $large: {
    bytes,
    // Cuts between characters, never inside one.
    preview: preview.slice(0, limits.value.previewCharacters).toWellFormed(),
    ...(sha256 === undefined ? {} : { sha256 }),
  },
});
