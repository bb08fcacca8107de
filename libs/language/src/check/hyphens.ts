/** `steps.may-fail`, which CEL reads as a subtraction: reports it once, and checks it as the access that was meant. */
import { types, quoted } from '@baton/expressions';

import type { ExpressionSite } from './checkRun.ts';
import { type KnownName, withSteps } from './scope.ts';
import { whyNot } from './stepIndex.ts';

const hyphened = /\bsteps\s*\.(\??)\s*([A-Za-z_]\w*(?:-\w+)+)/g;

/** As long as the source, so that positions stay valid. */
export interface UnhyphenedSource {
  readonly source: string;
  readonly site: ExpressionSite;
}

/** `offset` is where the source begins in the text at the pointer. */
export function unhyphened(site: ExpressionSite, source: string, pointer: string, offset: number): UnhyphenedSource {
  if (!source.includes('-') || !source.includes('steps')) return { source, site };
  const { checking, scope } = site;
  const aliases: [string, KnownName][] = [];
  const mended = source.replace(hyphened, (found: string, optional: string, written: string, at: number) => {
    const id = longestId(written, checking.index.byId);
    if (id === undefined) return found;
    const length = found.length - written.length + id.length;
    checking.report({
      code: 'unknown-step',
      pointer,
      within: [offset + at, offset + at + length],
      message: `After a dot a hyphen is a minus: this takes something from ${quoted(`steps.${id.split('-')[0] ?? ''}`)}.`,
      found: found.slice(0, length),
      hint: optional === '' ? `write \`steps["${id}"]\`` : `write \`steps[?"${id}"]\``,
    });
    const alias = id.replaceAll('-', '_');
    const known = scope.steps?.get(id);
    const [there] = checking.index.byId.get(id) ?? [];
    if (known === undefined && there !== undefined && scope.steps !== undefined) {
      const { code, reason, hint } = whyNot(id, there, pointer);
      const message = `The step ${quoted(id)} cannot be read here: ${reason}.`;
      checking.report({ code, pointer, within: [offset + at, offset + at + length], message, found: id, hint });
    }
    aliases.push([alias, known ?? { type: types.any, certainty: 'ran' }]);
    return found.slice(0, found.length - written.length) + alias + written.slice(id.length);
  });
  return { source: mended, site: aliases.length === 0 ? site : { ...site, scope: withSteps(scope, aliases) } };
}

function longestId(written: string, ids: ReadonlyMap<string, unknown>): string | undefined {
  for (let id = written; id.includes('-'); id = id.slice(0, id.lastIndexOf('-'))) if (ids.has(id)) return id;
  return undefined;
}
