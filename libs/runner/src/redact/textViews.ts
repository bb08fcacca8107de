/**
 * The forms of a text in which a secret may be: as it is and as `cleanText` shows it, with up to four levels of escapes
 * decoded, and each also without line breaks. A secret that is cut by what is removed later is whole in one of them.
 */
import { decoded } from './escapes.ts';
import type { Slices } from './slices.ts';
import type { TracedText } from './tracedText.ts';
import { invisibles, invisiblesAndBreaks, withoutUnseen } from './unseen.ts';

/** Levels of escapes; four are, for example, JSON in JSON in JSON in a URL. */
const levelsMax = 4;

export interface TextView {
  readonly text: string;
  /** Where in the original a stretch begins that begins here, and where one ends; only of traced views. */
  startOf(at: number): number;
  endOf(at: number): number;
}

/** Undefined: a slice has ended. */
export function* viewsOf(text: string, isTraced: boolean): Generator<TextView | undefined, void> {
  const whole: TextView = { text, startOf: (at) => at, endOf: (at) => at };
  const clean = removedFrom(whole, yield* paused(withoutUnseen(text, invisibles, isTraced)));
  for (const start of clean === undefined ? [whole] : [whole, clean]) {
    let view: TextView | undefined = start;
    for (let level = 0; view !== undefined && level <= levelsMax; level++) {
      yield view;
      // The clean text without breaks is the text without breaks.
      if (start === whole || level > 0) {
        const joined = removedFrom(view, yield* paused(withoutUnseen(view.text, invisiblesAndBreaks, isTraced)));
        if (joined !== undefined) yield joined;
      }
      view = decodedFrom(view, yield* paused(decoded(view.text, isTraced)));
    }
  }
}

function* paused<T>(work: Slices<T>): Generator<undefined, T> {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
    yield undefined;
  }
}

/** The end of a stretch is directly after its last character, before removed characters. */
const removedFrom = (view: TextView, rest: TracedText | undefined): TextView | undefined =>
  rest && {
    text: rest.text,
    startOf: (at) => view.startOf(rest.sources?.[at] ?? 0),
    endOf: (at) => view.endOf((rest.sources?.[at - 1] ?? 0) + 1),
  };

const decodedFrom = (view: TextView, rest: TracedText | undefined): TextView | undefined =>
  rest && {
    text: rest.text,
    startOf: (at) => view.startOf(rest.sources?.[at] ?? 0),
    endOf: (at) => view.endOf(rest.sources?.[at] ?? 0),
  };
