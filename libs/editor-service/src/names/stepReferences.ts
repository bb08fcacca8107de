/** Finds the references of expressions to steps. */
import { type MemberReference, readingOf } from '@baton/expressions';
import { type StepLocation, frameOf } from '@baton/language';

import { parseWhole } from '../reading/expressionPart.ts';
import type { RecordedScopes } from '../reading/recordedScopes.ts';

export interface StepReference {
  readonly id: string;
  /** The step that the expression belongs to; undefined: it belongs to the file. */
  readonly reader: StepLocation | undefined;
  /** The referenced step. */
  readonly target: StepLocation;
  /** Of the text that holds it, in the draft. */
  readonly pointer: string;
  /** Of the id, in that text. */
  readonly within: readonly [start: number, end: number];
  readonly access: 'dot' | 'brackets';
}

export function stepReferences(scopes: RecordedScopes | undefined, all: readonly StepLocation[]): StepReference[] {
  const found: StepReference[] = [];
  for (const [pointer, sites] of scopes?.expressions ?? []) {
    const reader = ownerOf(pointer, all);
    for (const { seen } of sites) {
      for (const { name, node } of membersOf(seen.source)) {
        const target = name === undefined ? undefined : targetOf(name, pointer, all);
        if (name === undefined || target === undefined) continue;
        const at = node.start + seen.source.slice(node.start, node.end).lastIndexOf(name);
        const within = [seen.offset + at, seen.offset + at + name.length] as const;
        const access = node.op === '.' || node.op === '.?' ? 'dot' : 'brackets';
        found.push({ id: name, reader, target, pointer, within, access });
      }
    }
  }
  return found;
}

function membersOf(source: string): readonly MemberReference[] {
  const tree = parseWhole(source);
  return tree === undefined ? [] : readingOf(tree).members.filter(({ of }) => of === 'steps');
}

/** The innermost step around a pointer. */
const ownerOf = (pointer: string, all: readonly StepLocation[]): StepLocation | undefined =>
  all.findLast((one) => pointer === one.pointer || pointer.startsWith(`${one.pointer}/`));

/** Of the steps with the id, the one with the innermost frame around the place; else the first. */
export function targetOf(id: string, pointer: string, all: readonly StepLocation[]): StepLocation | undefined {
  const named = all.filter((one) => one.step.id === id);
  const visible = named.filter((one) => pointer.startsWith(`${frameOf(one)}/`) || frameOf(one) === '/steps');
  return visible.toSorted((a, b) => frameOf(b).length - frameOf(a).length)[0] ?? named[0];
}
