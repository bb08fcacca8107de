/** Reads texts of other systems for an importer: their value, and findings with places. */
import { excerpt } from '@baton/expressions';
import type { Json } from '@baton/primitives';

import type { Finding } from './finding.ts';
import { Document } from './yaml/document.ts';

interface ForeignPlace {
  /** JSON pointer. */
  readonly pointer: string;
  /** Default: its value. */
  readonly at?: 'key' | 'value';
}

export interface ForeignText {
  /** Undefined if it cannot be read; `findings` say why. */
  readonly value: Json | undefined;
  readonly findings: readonly Finding[];
  /** A finding of the importer, with the lines of the place. */
  findingAt(place: ForeignPlace, what: Pick<Finding, 'code' | 'severity' | 'message' | 'hint'>): Finding;
}

/** YAML 1.2 or JSON. Never throws. */
export function readForeign(text: string): ForeignText {
  const document = new Document(text);
  return {
    value: document.value,
    findings: document.findings(document.problems),
    findingAt: ({ pointer, at = 'value' }, { message, ...what }) => {
      const span = document.spanOf({ code: 'assumed', message, pointer, at });
      const shown = excerpt(message, 400);
      return {
        ...what,
        message: shown,
        ...document.source.position(span[0]),
        path: pointer,
        frame: document.source.frame(span),
      };
    },
  };
}
