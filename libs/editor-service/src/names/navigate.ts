/** Finds the declaration and all uses of a name, and renames it. */
import { quoted, type Span } from '@baton/expressions';
import { indexSteps, forms, type NameForm, isName } from '@baton/language';

import type { Edit } from '../edit.ts';
import type { TextReading } from '../reading/reading.ts';
import { type NamedThing, type Occurrence, namedAt, occurrences } from './occurrences.ts';

export type Definition =
  | { readonly kind: 'here'; readonly span: Span }
  /** In the file of another workflow. */
  | { readonly kind: 'workflow'; readonly workflow: string };

export function definition(reading: TextReading, offset: number): Definition | undefined {
  const thing = namedAt(reading, offset);
  const declared = thing && occurrences(reading, thing).find(({ isDeclaration }) => isDeclaration);
  if (declared !== undefined) return { kind: 'here', span: declared.span };
  return thing?.kind === 'workflow' ? { kind: 'workflow', workflow: thing.name } : undefined;
}

/** Every place in this file that has the name under the cursor, including the declaration. */
export function references(reading: TextReading, offset: number): Occurrence[] {
  const thing = namedAt(reading, offset);
  return thing === undefined ? [] : occurrences(reading, thing);
}

export type RenameResult =
  | {
      readonly kind: 'edits';
      readonly edits: readonly Edit[];
      /** Other files name it too: `renameWorkflow` gives their edits. */
      readonly workflow?: { readonly from: string; readonly to: string };
    }
  /** A sentence. */
  | { readonly kind: 'refused'; readonly reason: string };

/** Undefined: there is no name under the cursor. */
export function rename(reading: TextReading, offset: number, name: string): RenameResult | undefined {
  const thing = namedAt(reading, offset);
  if (thing === undefined) return undefined;
  const reason = refusalOf(reading, thing, name);
  if (reason !== undefined) return { kind: 'refused', reason };
  const { text } = reading.document.source;
  const edits = occurrences(reading, thing).map((one) => editOf(text, one, name));
  return thing.kind === 'workflow'
    ? { kind: 'edits', edits, workflow: { from: thing.name, to: name } }
    : { kind: 'edits', edits };
}

/** The edits in a file that calls the workflow, or is it. */
export const renameWorkflow = (reading: TextReading, from: string, to: string): Edit[] =>
  occurrences(reading, { kind: 'workflow', name: from }).map(({ span }) => ({ span, text: to }));

const formOf: Readonly<Record<NamedThing['kind'], NameForm>> = { step: 'step', input: 'item', workflow: 'workflow' };

function refusalOf({ draft }: TextReading, thing: NamedThing, name: string): string | undefined {
  const form = formOf[thing.kind];
  if (!isName(form, name)) return `${quoted(name)} is not a name that can stand here: ${forms[form]}.`;
  const isTaken =
    thing.kind === 'step' && draft !== undefined && name !== thing.name && indexSteps(draft.workflow).byId.has(name);
  return isTaken ? `There is a step ${quoted(name)} already.` : undefined;
}

/** After a dot a hyphen would be a minus: such a name needs brackets. */
function editOf(text: string, { span, access }: Occurrence, name: string): Edit {
  if (access !== 'dot' || !name.includes('-')) return { span, text: name };
  const before = /\.\s*\??\s*$/.exec(text.slice(0, span[0]))?.[0] ?? '';
  const line = text.slice(text.lastIndexOf('\n', span[0] - 1) + 1, span[0]);
  // Inside double quotes, single quotes need no escape.
  const quote = /"[^"]*$/.test(line) ? "'" : '"';
  const optional = before.includes('?') ? '?' : '';
  return { span: [span[0] - before.length, span[1]], text: `[${optional}${quote}${name}${quote}]` };
}
