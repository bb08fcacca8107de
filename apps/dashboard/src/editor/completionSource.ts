/** Completions at the cursor: the checker's list, in its order. */
import type { Completion } from '@baton/editor-service';
import {
  type Completion as Shown,
  type CompletionContext,
  type CompletionResult,
  type CompletionSource,
  pickedCompletion,
  snippet,
} from '@codemirror/autocomplete';

import { shownText } from '../shownText/shownText.ts';
import { checker } from './checker.ts';
import type { KnownWorld } from './checkerCalls.ts';

export const completionSource =
  (known: () => KnownWorld): CompletionSource =>
  async (context: CompletionContext): Promise<CompletionResult | null> => {
    const { pos, state } = context;
    const { items } = await checker.complete(state.doc.toString(), pos, known());
    if (items.length === 0 || context.aborted) return null;
    return { from: Math.min(...items.map(({ replace }) => replace[0]), pos), options: items.map(shown), filter: false };
  };

function shown(item: Completion): Shown {
  const { label, detail, about, isRequired, replace } = item;
  const note = isRequired === true ? `${detail ?? ''} required`.trim() : detail;
  return {
    label: shownText(label),
    ...(note === undefined ? {} : { detail: shownText(note) }),
    ...(about === undefined ? {} : { info: shownText(about) }),
    apply: (view, completion, _, to) => {
      const [from] = replace;
      if (item.isSnippet) return snippet(templateOf(item.insert))(view, completion, from, to);
      view.dispatch({
        changes: { from, to, insert: item.insert },
        selection: { anchor: from + item.insert.length },
        annotations: pickedCompletion.of(completion),
      });
    },
  };
}

/** Converts snippets of LSP into those of CodeMirror. */
const templateOf = (insert: string): string =>
  insert.replaceAll(
    /\\([$}\\])|\$(\d+)/g,
    (_, escaped: string | undefined, stop: string | undefined) => escaped ?? (stop === '0' ? '${}' : `\${${stop}}`),
  );
