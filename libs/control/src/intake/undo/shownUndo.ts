/** Converts an undo into the API's schema. */
import type { UndoResult } from '@baton/api';
import { defined } from '@baton/primitives';

import type { Undo } from './undo.ts';
import type { UndoCall } from './undoCalls.ts';

const shownWrite = ({ path, server, tool, outcome }: UndoCall['write']) => ({
  path,
  target: `${server}/${tool}`,
  outcome,
});

export function shownUndo(undoOf: string, { runId: id, isNew, calls, left, children, ...runs }: Undo): UndoResult {
  return {
    ...defined({ id }),
    ...(isNew ? { status: 'queued' } : {}),
    undoOf,
    calls: calls.map(({ write, undo, arguments: given, check }) => ({
      ...shownWrite(write),
      call: `${write.server}/${undo.tool}`,
      ...defined({ arguments: given }),
      ...(check && { check: { call: `${write.server}/${check.declared.tool}`, arguments: check.arguments } }),
    })),
    left: left.map(({ write: { path, target, outcome }, why }) => ({ path, target, outcome, why })),
    children: [...children].map(([path, child]) => ({ path, id: child })),
    ...defined({ retriedAs: runs.retriedAs, keptFrom: runs.keptFrom }),
  };
}
