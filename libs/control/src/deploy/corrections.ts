import { fixAll, fixes, readText } from '@baton/editor-service';
import type { CheckOptions, Finding } from '@baton/language';
/** The corrections that the language service suggests for the findings of a text. */

export interface Corrections {
  /** The text with all certain corrections applied. */
  readonly text: string;
  /** Titles of the corrections, in the imperative, by `findingPlace`. */
  readonly titles: ReadonlyMap<string, string>;
}

/** Longer texts get no corrections: each round of corrections reads the whole text again. */
const correctedCharacters = 32_768;

export const noCorrections = (text: string): Corrections => ({ text, titles: new Map() });

/** `known`: the options of the check, so that names of tools and arguments are corrected too. */
export function correctionsOf(text: string, known: CheckOptions): Corrections {
  if (text.length > correctedCharacters) return noCorrections(text);
  const reading = readText(text, known);
  const titles = new Map(fixes(reading).map(({ diagnostic, title }) => [findingPlace(diagnostic), title]));
  return { text: fixAll(reading).text, titles };
}

export const findingPlace = ({ code, line, column }: Pick<Finding, 'code' | 'line' | 'column'>): string =>
  `${code} ${line}:${column}`;
