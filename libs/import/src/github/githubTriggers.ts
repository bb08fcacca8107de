/** Translates the triggers of a workflow of GitHub Actions into triggers and inputs. */
import { childOf, interpolated } from '@baton/expressions';
import { type Json, type JsonObject, defined } from '@baton/primitives';

import type { Import } from '../importing.ts';
import { listOf, mapOf, textOf, wordOf } from '../json.ts';
import { eventFilter } from './githubEvents.ts';
import { githubKeys } from './githubKeys.ts';
import { inputName } from './githubNames.ts';

export interface GithubStart {
  readonly on: readonly JsonObject[];
  readonly inputs: JsonObject;
  /** Events that the webhook receives: each is the input `event`. */
  readonly hooks: readonly string[];
  /** Something else starts it too. */
  readonly hasOthers: boolean;
  /** `outputs` of a workflow that others call, as they are written. */
  readonly outputs: JsonObject;
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
  const schedules = listOf(events['schedule']).flatMap((one, i) => scheduleOf(importing, mapOf(one), i));
  const called = mapOf(events['workflow_call']);
  importing.noteOthers(mapOf(events['workflow_dispatch']), githubKeys.dispatch, '/on/workflow_dispatch', 'on');
  importing.noteOthers(called, githubKeys.call, '/on/workflow_call', 'on');
  if (called['secrets'] !== undefined) {
    const message = 'A called workflow gets no secrets of its caller: it reads the stored ones.';
    importing.note('differs', { pointer: '/on/workflow_call/secrets', at: 'key', message });
  }
  const hooks = Object.entries(events).filter(([name]) => !own.has(name));
  for (const name of ['workflow_run', 'repository_dispatch', 'merge_group']) {
    if (!Object.hasOwn(events, name)) continue;
    const message = `Baton has no trigger for ${name}: start the workflow by a step, a webhook or the API.`;
    importing.note('left-out', { pointer: childOf(pointer, name), at: 'key', message });
  }
  const isStartedOtherwise = schedules.length > 0 || hooks.length > 0;
  const inputs = {
    ...inputsOf(importing, called, '/on/workflow_call/inputs', isStartedOtherwise),
    ...inputsOf(importing, mapOf(events['workflow_dispatch']), '/on/workflow_dispatch/inputs', isStartedOtherwise),
  };
  const rest = { hooks: hooks.map(([name]) => name), outputs: mapOf(called['outputs']) };
  if (hooks.length === 0) return { ...rest, on: schedules, inputs, hasOthers: false };
  const [first = ''] = hooks[0] ?? [];
  importing.note('differs', {
    pointer: Array.isArray(on) || typeof on === 'string' ? pointer : childOf(pointer, first),
    at: 'key',
    message: 'GitHub has to send its events to the webhook "github", signed with the secret GITHUB_HOOK.',
    hint: 'baton secrets set GITHUB_HOOK, and add the webhook to the repository on GitHub',
  });
  const hasOthers = schedules.length > 0 || ['workflow_dispatch', 'workflow_call'].some((one) => one in events);
  return {
    ...rest,
    on: [
      ...schedules,
      {
        webhook: 'github',
        secret: 'GITHUB_HOOK',
        scheme: 'github',
        if: hooks.map(([name, filter]) => eventFilter(importing, name, mapOf(filter))).join(' || '),
        inputs: { event: interpolated('event.body') },
      },
    ],
    inputs: { event: { type: 'object', ...(hasOthers ? { optional: true } : {}) }, ...inputs },
    hasOthers,
  };
}

function scheduleOf(importing: Import, schedule: JsonObject, i: number): JsonObject[] {
  const { cron, timezone } = schedule;
  const pointer = `/on/schedule/${i}`;
  importing.noteOthers(schedule, githubKeys.schedule, pointer, 'schedule');
  const written = textOf(cron);
  return written === undefined ? [] : [{ schedule: written, ...defined({ timezone }) }];
}

function eventsOf(on: Json | undefined): JsonObject {
  if (typeof on === 'string') return { [on]: null };
  if (Array.isArray(on))
    return Object.fromEntries(on.flatMap((one): [string, null][] => (typeof one === 'string' ? [[one, null]] : [])));
  return mapOf(on);
}

const types: Readonly<Record<string, string>> = { boolean: 'boolean', number: 'number' };
/** What GitHub gives where a caller gives nothing. */
const empty: Readonly<Record<string, Json>> = { string: '', boolean: false };

function inputsOf(importing: Import, event: JsonObject, pointer: string, isStartedOtherwise: boolean): JsonObject {
  const inputs = Object.entries(mapOf(event['inputs']));
  const [first] = inputs.map(([name]) => name);
  if (isStartedOtherwise && first !== undefined) {
    const message = 'Started by an event or a schedule, inputs are empty on GitHub; here they have their defaults.';
    importing.note('differs', { pointer: childOf(pointer, first), at: 'key', message });
  }
  return Object.fromEntries(
    inputs.map(([name, one]) => {
      const at = childOf(pointer, name);
      importing.noteOthers(mapOf(one), githubKeys.input, at, 'an input');
      return [inputName(name), inputOf(importing, mapOf(one), at)];
    }),
  );
}

function inputOf(importing: Import, input: JsonObject, pointer: string): JsonObject {
  const { type, required, default: usual, options, description } = input;
  if (type === 'environment') {
    const message = 'Baton knows no environments: the input is any text.';
    importing.note('differs', { pointer: childOf(pointer, 'type'), message });
  }
  const kind = types[textOf(type) ?? ''] ?? 'string';
  const isComputed = typeof usual === 'string' && usual.includes('${{');
  if (isComputed)
    importing.note('left-out', {
      pointer: childOf(pointer, 'default'),
      message: 'A default that is computed is left out: a default of Baton is a value.',
    });
  const isGiven = usual !== undefined && usual !== null && !isComputed;
  const withoutValue = required === true ? undefined : empty[kind];
  const byDefault = isGiven ? typedDefault(kind, usual) : withoutValue;
  const choices = Array.isArray(options) ? [...new Set(options.map(String))] : undefined;
  const isChoice = choices === undefined || byDefault === undefined || choices.includes(wordOf(byDefault));
  return {
    type: kind,
    ...(choices === undefined ? {} : { enum: isChoice ? choices : [...choices, wordOf(byDefault)] }),
    ...(textOf(description) === undefined ? {} : { description: textOf(description) ?? '' }),
    ...defined({ default: byDefault }),
    ...(byDefault === undefined && required !== true ? { optional: true } : {}),
  };
}

function typedDefault(kind: string, usual: Json | undefined): Json | undefined {
  if (kind === 'boolean') return usual === true || usual === 'true';
  if (kind === 'number') return Number.isFinite(Number(usual)) ? Number(usual) : undefined;
  return wordOf(usual);
}
