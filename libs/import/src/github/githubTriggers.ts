/** Translates the triggers of a workflow of GitHub Actions into triggers and inputs. */
import type { Json, JsonObject } from '@baton/language';
import { childOf, interpolated } from '@baton/language';

import type { Import } from '../importing.ts';
import { listOf, mapOf, textOf, wordOf } from '../json.ts';
import { inputName } from './githubExpressions.ts';

export interface GithubStart {
  readonly on: readonly JsonObject[];
  readonly inputs: JsonObject;
  /** The event of a webhook is the input `event`. */
  readonly hasEvent: boolean;
}

const own = new Set([
  'schedule',
  'workflow_dispatch',
  'workflow_call',
  'repository_dispatch',
  'workflow_run',
  'merge_group',
]);

export function startOf(importing: Import, on: Json | undefined): GithubStart {
  const events = eventsOf(on);
  const pointer = '/on';
  const triggers: JsonObject[] = listOf(events['schedule']).flatMap((one) => {
    const { cron, timezone } = mapOf(one);
    const written = textOf(cron);
    return written === undefined ? [] : [{ schedule: written, ...(timezone === undefined ? {} : { timezone }) }];
  });
  const inputs = { ...inputsOf(events['workflow_call']), ...inputsOf(events['workflow_dispatch']) };
  const hooks = Object.entries(events).filter(([name]) => !own.has(name));
  for (const name of ['workflow_run', 'repository_dispatch', 'merge_group']) {
    if (!Object.hasOwn(events, name)) continue;
    const message = `Baton has no trigger for ${name}: start the workflow by a step, a webhook or the API.`;
    importing.note('left-out', { pointer: childOf(pointer, name), at: 'key', message });
  }
  if (hooks.length === 0) return { on: triggers, inputs, hasEvent: false };
  const [first = ''] = hooks[0] ?? [];
  importing.note('differs', {
    pointer: Array.isArray(on) || typeof on === 'string' ? pointer : childOf(pointer, first),
    at: 'key',
    message: 'GitHub has to send its events to the webhook "github", signed with the secret GITHUB_HOOK.',
    hint: 'baton secrets set GITHUB_HOOK, and add the webhook to the repository on GitHub',
  });
  return {
    on: [
      ...triggers,
      {
        webhook: 'github',
        secret: 'GITHUB_HOOK',
        scheme: 'github',
        if: hooks.map(([name, filter]) => eventFilter(importing, name, mapOf(filter))).join(' || '),
        dedupe: interpolated('event.headers["x-github-delivery"]'),
        inputs: { event: interpolated('event.body') },
      },
    ],
    inputs: { event: { type: 'object', ...(triggers.length > 0 ? { optional: true } : {}) }, ...inputs },
    hasEvent: true,
  };
}

function eventsOf(on: Json | undefined): JsonObject {
  if (typeof on === 'string') return { [on]: null };
  if (Array.isArray(on))
    return Object.fromEntries(on.flatMap((one): [string, null][] => (typeof one === 'string' ? [[one, null]] : [])));
  return mapOf(on);
}

function eventFilter(importing: Import, name: string, { types, branches, tags, ...rest }: JsonObject): string {
  const pointer = childOf('/on', name);
  const parts = [`event.headers["x-github-event"] == ${JSON.stringify(name)}`];
  const actions = listOf(types).flatMap((one) => textOf(one) ?? []);
  if (actions.length > 0) parts.push(`event.body.action in ${JSON.stringify(actions)}`);
  const prefix = {
    push: ['event.body.ref', 'refs/heads/'],
    pull_request: ['event.body.pull_request.base.ref', ''],
  } as const;
  const [path, before] = name === 'push' || name === 'pull_request' ? prefix[name] : ['', ''];
  const patterns = listOf(branches).flatMap((one) => textOf(one) ?? []);
  const tagged = name === 'push' ? listOf(tags).flatMap((one) => textOf(one) ?? []) : [];
  const refs = [...patterns.map((one) => before + one), ...tagged.map((one) => `refs/tags/${one}`)];
  if (path !== '' && refs.length > 0) parts.push(anyOf(path, refs));
  for (const key of Object.keys(rest)) {
    const message = `Baton ignores \`${key}\` of ${name}.`;
    importing.note('left-out', {
      pointer: childOf(pointer, key),
      at: 'key',
      message,
      hint: 'add it to the `if` of the webhook',
    });
  }
  return parts.length === 1 ? (parts[0] ?? '') : `(${parts.join(' && ')})`;
}

/** Patterns of GitHub: `*` matches within a path segment, `**` across segments. */
function anyOf(path: string, patterns: readonly string[]): string {
  if (patterns.every((one) => !/[*?+[\]!]/.test(one))) {
    return patterns.length === 1
      ? `${path} == ${JSON.stringify(patterns[0])}`
      : `${path} in ${JSON.stringify(patterns)}`;
  }
  const forms = patterns
    .filter((one) => !one.startsWith('!'))
    .map((one) =>
      one
        .replaceAll(/[.+^$()|{}\\]/g, '\\$&')
        .replaceAll('**', '\u0000')
        .replaceAll('*', '[^/]*')
        .replaceAll('\u0000', '.*'),
    );
  return `matches(${path}, ${JSON.stringify(`^(${forms.join('|')})$`)})`;
}

const types: Readonly<Record<string, string>> = { boolean: 'boolean', number: 'number' };

function inputsOf(event: Json | undefined): JsonObject {
  const inputs = mapOf(mapOf(event)['inputs']);
  return Object.fromEntries(
    Object.entries(inputs).map(([name, one]) => {
      const { type, required, default: usual, options, description } = mapOf(one);
      const kind = types[textOf(type) ?? ''] ?? 'string';
      const fits = usual !== undefined && usual !== null;
      const isComputed = typeof usual === 'string' && usual.includes('${{');
      const byDefault = !fits || isComputed ? undefined : typedDefault(kind, usual);
      const schema: JsonObject = {
        type: kind,
        ...(Array.isArray(options) ? { enum: [...new Set(options.map(String))] } : {}),
        ...(textOf(description) === undefined ? {} : { description: textOf(description) ?? '' }),
        ...(byDefault === undefined ? {} : { default: byDefault }),
        ...(byDefault === undefined && required !== true ? { optional: true } : {}),
      };
      return [inputName(name), schema];
    }),
  );
}

function typedDefault(kind: string, usual: Json | undefined): Json | undefined {
  if (kind === 'boolean') return usual === true || usual === 'true';
  if (kind === 'number') return Number.isFinite(Number(usual)) ? Number(usual) : undefined;
  return wordOf(usual);
}
