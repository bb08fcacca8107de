/** A parsed text: its nodes, its value and its mistakes. */
import type { Source, Span } from '@baton/expressions';
import type { Json } from '@baton/primitives';
import type { ParsedNode } from 'yaml';

import type { Problem } from '../problem.ts';
import { compose } from './compose.ts';
import { toJson } from './json.ts';
import type { Tokens } from './tokens.ts';

export interface DocumentTree {
  /** Null: the text is empty. Undefined: it could not be read. */
  readonly root: ParsedNode | null | undefined;
  /** Undefined: nothing could be read. */
  readonly value: Json | undefined;
  readonly problems: readonly Problem[];
  /** Keys in `{ }` without a value. */
  readonly bareKeys: readonly Problem[];
  /** Texts that were quoted so that they can be read; the source has their original text. */
  readonly mended: ReadonlyMap<number, Span>;
}

/** `tokens`: of the text. */
export const treeOf = (source: Source, tokens: Tokens): DocumentTree => readTree(source, tokens, false);

/** Of a file that holds what servers answered: their texts and keys may be any. */
export const dataTreeOf = (source: Source, tokens: Tokens): DocumentTree => readTree(source, tokens, true);

function readTree(source: Source, tokens: Tokens, isData: boolean): DocumentTree {
  const { root, problems: composed, mended } = compose(source.text, tokens);
  const problems = [...composed];
  const bareKeys: Problem[] = [];
  const value =
    root === undefined
      ? undefined
      : toJson(
          {
            source,
            mended,
            isData,
            report: (one) => problems.push(one),
            reportBare: (one) => bareKeys.push(one),
          },
          root,
        );
  return { root, value, problems, bareKeys, mended };
}
