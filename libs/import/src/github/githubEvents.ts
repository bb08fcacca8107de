/** The condition of the webhook for one event of GitHub and its filters. */
import { childOf } from '@baton/expressions';
import type { JsonObject } from '@baton/primitives';

import type { Import } from '../importing.ts';
import { listOf, textOf } from '../json.ts';

/**
 * Actions that start a workflow where `types` is absent; of other events all do.
 * https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows
 */
const usualTypes: Readonly<Record<string, readonly string[]>> = {
  pull_request: ['opened', 'synchronize', 'reopened'],
  pull_request_target: ['opened', 'synchronize', 'reopened'],
};

const refOf: Readonly<Record<string, readonly [path: string, before: string]>> = {
  push: ['event.body.ref', 'refs/heads/'],
  pull_request: ['event.body.pull_request.base.ref', ''],
  pull_request_target: ['event.body.pull_request.base.ref', ''],
};

export function eventFilter(importing: Import, name: string, { types, ...filters }: JsonObject): string {
  const parts = [`event.headers["x-github-event"] == ${JSON.stringify(name)}`];
  const actions = types === undefined ? (usualTypes[name] ?? []) : textsOf(types);
  if (actions.length > 0) parts.push(`event.body.action in ${JSON.stringify(actions)}`);
  // GitHub sends a push for a deleted branch as well, which starts no workflow.
  if (name === 'push') parts.push('event.body.?deleted.orValue(false) != true');
  parts.push(...refFilters(importing, name, filters));
  return parts.length === 1 ? (parts[0] ?? '') : `(${parts.join(' && ')})`;
}

function refFilters(importing: Import, name: string, filters: JsonObject): string[] {
  const pointer = childOf('/on', name);
  const [path, before] = refOf[name] ?? [];
  const read = path === undefined ? [] : ['branches', ...(name === 'push' ? ['tags'] : [])];
  for (const key of Object.keys(filters)) {
    if (read.includes(key)) continue;
    const message = `Baton ignores \`${key}\` of ${name}.`;
    const hint = 'add it to the `if` of the webhook';
    importing.note('left-out', { pointer: childOf(pointer, key), at: 'key', message, hint });
  }
  if (path === undefined || before === undefined) return [];
  const patterns = [
    ...textsOf(filters['branches']).map((one) => prefixed(before, one)),
    ...(name === 'push' ? textsOf(filters['tags']).map((one) => prefixed('refs/tags/', one)) : []),
  ];
  return patterns.length === 0 ? [] : [anyOf(path, patterns)];
}

const textsOf = (value: JsonObject[string] | undefined): readonly string[] =>
  (typeof value === 'string' ? [value] : listOf(value)).flatMap((one) => textOf(one) ?? []);

const prefixed = (before: string, pattern: string): string =>
  pattern.startsWith('!') ? `!${before}${pattern.slice(1)}` : before + pattern;

/** The last pattern that matches decides; one with `!` excludes. */
function anyOf(path: string, patterns: readonly string[]): string {
  if (patterns.every((one) => !/[*?+[\]!]/.test(one))) {
    return patterns.length === 1
      ? `${path} == ${JSON.stringify(patterns[0])}`
      : `${path} in ${JSON.stringify(patterns)}`;
  }
  const groups: { isExcluding: boolean; forms: string[] }[] = [];
  for (const one of patterns) {
    const isExcluding = one.startsWith('!');
    const form = formOf(isExcluding ? one.slice(1) : one);
    const last = groups.at(-1);
    if (last?.isExcluding === isExcluding) last.forms.push(form);
    else groups.push({ isExcluding, forms: [form] });
  }
  return groups.reduce((before, { isExcluding, forms }) => {
    const matched = `matches(${path}, ${JSON.stringify(`^(${forms.join('|')})$`)})`;
    if (isExcluding) return before === '' ? `!${matched}` : `${before} && !${matched}`;
    return before === '' ? matched : `(${before} || ${matched})`;
  }, '');
}

/** Patterns of GitHub: `*` matches within a path segment, `**` across segments, `?` and `+` repeat the character before. */
const formOf = (pattern: string): string =>
  pattern
    .replaceAll(/[.^$()|{}\\]/g, '\\$&')
    .replaceAll('**', '\u0000')
    .replaceAll('*', '[^/]*')
    .replaceAll('\u0000', '.*');
