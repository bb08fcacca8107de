/** Random trees of runs, and what became of their steps in another version. */
import * as fc from 'fast-check';

import type { RunTree, TreeOutcome } from './runTree.ts';

const lone = {
  write: 'tool: s/write',
  read: 'tool: s/read',
  ignoredWrite: 'tool: s/write, onError: ignore',
  ensuredWrite: 'tool: s/write, ensure: [{ tool: s/read, that: "true" }]',
} as const;
type LoneKind = keyof typeof lone;

/** A step with what is inside it. */
export type Shape = { readonly kind: LoneKind } | { readonly kind: OuterKind; readonly steps: readonly Shape[] };

const outerKinds = [
  'child',
  'child',
  'detached',
  'ignoredChild',
  'items',
  'ownItems',
  'collectedItems',
  'parallel',
  'race',
  'group',
] as const;
type OuterKind = (typeof outerKinds)[number];

export const { shapes } = fc.letrec<{ shapes: readonly Shape[]; shape: Shape }>((tie) => ({
  shapes: fc.array(tie('shape'), { minLength: 1, maxLength: 3, depthIdentifier: 'tree' }),
  shape: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'tree' },
    fc.record({ kind: fc.constantFrom<LoneKind[]>('write', 'write', 'read', 'ignoredWrite', 'ensuredWrite') }),
    fc.record({ kind: fc.constantFrom(...outerKinds), steps: tie('shapes') }),
  ),
}));

/** What became of a step in another version. */
export type Move = 'stays' | 'renamed' | 'intoItem' | 'intoChild' | 'intoGroup' | 'intoFinally';

/**
 * The files of a tree; `root` is the first. `moved`: what became of the step with this number; then each writes with a tool
 * of its own, and once.
 */
export function filesOf(root: readonly Shape[], moved?: (step: number) => Move): Record<string, string> {
  const files: Record<string, string> = {};
  let count = 0;
  const add = (name: string, steps: readonly Shape[]): string => {
    files[name] = '';
    files[name] = `steps: ${block(steps)}`;
    return name;
  };
  const block = (steps: readonly Shape[]): string => `[${steps.map(step).join(', ')}]`;
  const step = (shape: Shape): string => {
    const at = ++count;
    const move = moved?.(at) ?? 'stays';
    const text = asWritten(shape, `id: ${move === 'renamed' ? 'renamed' : 's'}${at}`);
    const moves: Record<Move, () => string> = {
      stays: () => text,
      renamed: () => text,
      intoItem: () => `{ id: m${at}, forEach: [1], steps: [${text}] }`,
      intoChild: () => {
        files[`moved-${at}`] = `steps: [${text}]`;
        return `{ id: m${at}, workflow: moved-${at} }`;
      },
      intoGroup: () => `{ id: m${at}, steps: [${text}] }`,
      intoFinally: () => `{ id: m${at}, steps: [{ id: n${at}, set: { n: 1 } }], finally: [${text}] }`,
    };
    return moves[move]();
  };
  const asWritten = (shape: Shape, id: string): string => {
    if (!('steps' in shape)) {
      const text = `{ ${id}, ${lone[shape.kind]} }`;
      return moved === undefined ? text : text.replace('s/write', `s/write-${count}`);
    }
    const { kind, steps } = shape;
    const child = `${id}, workflow: `;
    const items = `${id}, forEach: ${moved === undefined ? '[1, 2]' : '[1]'}, maxParallel: ${1 + (count % 2)}`;
    const texts: Record<OuterKind, () => string> = {
      child: () => `${child}${add(`part-${count}`, steps)}`,
      detached: () => `${child}${add(`part-${count}`, steps)}, await: false`,
      ignoredChild: () => `${child}${add(`part-${count}`, steps)}, onError: ignore`,
      items: () => `${items}, steps: ${block(steps)}`,
      ownItems: () => `${items}, distribute: true, steps: ${block(steps)}`,
      collectedItems: () => `${items}, distribute: true, onItemError: collect, steps: ${block(steps)}`,
      parallel: () => `parallel: ${block(steps)}`,
      race: () => `until: first, parallel: ${block(steps)}`,
      group: () => `${id}, steps: ${block(steps)}, finally: [{ id: f${count}, tool: s/read }]`,
    };
    return `{ ${texts[kind]()} }`;
  };
  add('root', root);
  return files;
}

/** How a call ends, from its path and the round: the same each time. */
export function outcomeIn(seed: number, round: number, inTen: number): (path: string) => TreeOutcome {
  return (path) => {
    let hash = seed + round * 7_919;
    for (const letter of path) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0;
    if (hash % 10 >= inTen) return 'succeeded';
    return hash % 3 === 0 ? 'unknown' : 'failed';
  };
}

/** Deploys all workflows once more, with the same text: what a rerun with the newest version does is the same. */
export function deployAllAgain(tree: RunTree, version: number): void {
  for (const [name, plan] of [...tree.plans].filter(([digest]) => !digest.includes('@'))) {
    tree.plans.set(`${name}@${version}`, plan);
    tree.newest.set(name, `${name}@${version}`);
  }
}
