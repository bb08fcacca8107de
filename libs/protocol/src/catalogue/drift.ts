/**
 * Compares tools with the definitions that a workflow's version was checked against, and says in words what differs.
 *
 * A change of the contract (arguments, results, annotations) is kept apart from a change of the text that people and
 * models read. The digests decide which of the two it is; the stored definition shows what it was before.
 */
import { splitTarget } from '@baton/language';
import { cleanText, defined, isSameJson, membersOf } from '@baton/primitives';

import type { ToolDefinition, ToolDigests } from './toolDigest.ts';

/** The stored definition, to show later what has changed. */
export type KeptDefinition = Pick<
  ToolDefinition,
  'title' | 'description' | 'inputSchema' | 'outputSchema' | 'annotations'
>;

/** What a version relies on of one tool. Without digests it relies on nothing, because the server did not answer. */
export interface PinnedTool {
  readonly contract?: string;
  readonly text?: string;
  readonly definition?: KeptDefinition;
  /** Only a check that the server configuration declares calls it. */
  readonly isForChecks?: true;
}

export type LiveTool = KeptDefinition & { readonly digests: ToolDigests };

export interface Drift {
  /** `server/tool` */
  readonly tool: string;
  /** `gone`: the server no longer has it. `contract`: what a call depends on. `text`: only words. */
  readonly kind: 'gone' | 'contract' | 'text';
  /** The differences, a sentence each, for people. */
  readonly changes: readonly string[];
  /** As of its pin: the declared checks that call it are not made, and nothing else depends on it. */
  readonly isForChecks?: true;
}

/**
 * `live` by `server/tool`; `null`: the server has no such tool. Tools that are not in it are not judged: their servers
 * could not be asked.
 */
export function driftOf(
  pins: Readonly<Record<string, PinnedTool>>,
  live: ReadonlyMap<string, LiveTool | null>,
): readonly Drift[] {
  return Object.entries(pins).flatMap(([tool, pin]): Drift[] => {
    const now = live.get(tool);
    if (now === undefined || pin.contract === undefined) return [];
    const about = { tool, ...defined({ isForChecks: pin.isForChecks }) };
    if (now === null) return [{ ...about, kind: 'gone', changes: ['The server no longer has this tool.'] }];
    const isSameContract = now.digests.contract === pin.contract;
    if (isSameContract && now.digests.text === pin.text) return [];
    const kind = isSameContract ? 'text' : 'contract';
    return [{ ...about, kind, changes: changesOf(kind, pin.definition, now) }];
  });
}

/** What happens to new runs, by the server's `tools` policy. `exact`: as `block`, and no proof lets them go on. */
export type DriftPolicy = 'exact' | 'block' | 'warn' | 'accept';

/** Whether a tool that is not the pinned one is neither called nor shown. */
export const isBlocking = (policy: DriftPolicy): boolean => policy === 'block' || policy === 'exact';

export interface DriftVerdict {
  /** New runs are not started. */
  readonly blocking: readonly Drift[];
  /** These drifts are reported, and runs still start. */
  readonly warnings: readonly Drift[];
}

/** `block` and `exact` concern contracts: changed wording is reported and blocks nothing. */
export function judgeDrift(drifts: readonly Drift[], policyOf: (server: string) => DriftPolicy): DriftVerdict {
  const policy = ({ tool }: Drift): DriftPolicy => policyOf(splitTarget(tool)[0]);
  const blocks = (drift: Drift): boolean =>
    isBlocking(policy(drift)) && drift.kind !== 'text' && drift.isForChecks !== true;
  return {
    blocking: drifts.filter(blocks),
    warnings: drifts.filter((drift) => !blocks(drift) && policy(drift) !== 'accept'),
  };
}

/** `github/create_issue: the argument "title" is needed now; …` */
export function driftText({ tool, changes, isForChecks }: Drift): string {
  const said = `${cleanText(tool, 200)}: ${changes.map((one) => one.replace(/\.$/, '')).join('; ')}.`;
  return isForChecks === true
    ? `${said} The checks that call it are not made until the workflow is deployed again.`
    : said;
}

/** Larger definitions are not kept: their digests still tell that they changed. */
const keptCharacters = 32 * 1024;

export function keptDefinition(tool: KeptDefinition): KeptDefinition | undefined {
  const { title, description, inputSchema, outputSchema, annotations } = tool;
  const kept = defined({ title, description, inputSchema, outputSchema, annotations });
  return JSON.stringify(kept).length > keptCharacters ? undefined : kept;
}

const changesMax = 12;

function changesOf(kind: Drift['kind'], before: KeptDefinition | undefined, now: KeptDefinition): string[] {
  if (before === undefined) return ['It is not the definition that was checked; what it was then was not kept.'];
  const changes = [
    ...schemaChanges('argument', before.inputSchema, now.inputSchema),
    ...schemaChanges('result', before.outputSchema, now.outputSchema),
    ...memberChanges('The annotation', before.annotations, now.annotations),
    ...textChanges('title', before.title, now.title),
    ...textChanges('description', before.description, now.description),
  ];
  if (changes.length === 0)
    return [
      kind === 'text'
        ? 'It says the same in other words, or in parts that no call depends on.'
        : 'What a call depends on has changed in a part that was not kept.',
    ];
  const more = changes.length - changesMax;
  return more > 0 ? [...changes.slice(0, changesMax), `${more} more.`] : changes;
}

type Members = Readonly<Record<string, unknown>>;

/** A server may name a member `constructor`. */
const memberOf = (members: Members, key: string): unknown => (Object.hasOwn(members, key) ? members[key] : undefined);

function schemaChanges(what: 'argument' | 'result', before: unknown, now: unknown): string[] {
  if (isSameJson(before, now)) return [];
  if (before === undefined) return [`The schema of the ${what} is new.`];
  if (now === undefined) return [`The schema of the ${what} is gone.`];
  const [a, b] = [membersOf(before), membersOf(now)];
  const noun = what === 'argument' ? 'argument' : 'key of the result';
  const own = ['properties', 'required', 'description', 'title'];
  const rest = memberChanges(`The schema of the ${what}:`, without(a, own), without(b, own));
  return [...propertyChanges(noun, a, b), ...rest];
}

const without = (members: Members, keys: readonly string[]): Members =>
  Object.fromEntries(Object.entries(members).filter(([key]) => !keys.includes(key)));

function propertyChanges(noun: string, before: Members, now: Members): string[] {
  const [a, b] = [membersOf(before['properties']), membersOf(now['properties'])];
  const [needed, isNeeded] = [requiredIn(before), requiredIn(now)];
  return [...new Set([...Object.keys(a), ...Object.keys(b), ...needed, ...isNeeded])].flatMap((key) => {
    const name = `The ${noun} ${quoted(key)}`;
    const [old, fresh] = [memberOf(a, key), memberOf(b, key)];
    if (fresh === undefined && old !== undefined) return [`${name} is gone.`];
    if (old === undefined && fresh !== undefined) return [`${name} is new${isNeeded.has(key) ? ', and needed' : ''}.`];
    const need =
      needed.has(key) === isNeeded.has(key)
        ? []
        : [`${name} is ${isNeeded.has(key) ? 'needed now' : 'no longer needed'}.`];
    return [...need, ...memberChanges(`${name}:`, membersOf(old), membersOf(fresh))];
  });
}

const requiredIn = ({ required }: Members): ReadonlySet<string> =>
  new Set(Array.isArray(required) ? required.filter((one): one is string => typeof one === 'string') : []);

function memberChanges(subject: string, before: unknown, now: unknown): string[] {
  const [a, b] = [membersOf(before), membersOf(now)];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])]
    .map((key) => ({ key, old: memberOf(a, key), fresh: memberOf(b, key) }))
    .filter(({ old, fresh }) => !isSameJson(old, fresh))
    .map(({ key, old, fresh }) => `${subject} ${cleanText(key, 80)} was ${shown(old)}, and is ${shown(fresh)}.`);
}

function textChanges(what: string, before: string | undefined, now: string | undefined): string[] {
  if (before === now) return [];
  return [`The ${what} was ${shown(before)}, and is ${shown(now)}.`];
}

const shownCharacters = 80;

const quoted = (text: string): string => `"${cleanText(text, shownCharacters)}"`;

function shown(value: unknown): string {
  if (value === undefined) return 'not there';
  const text = JSON.stringify(typeof value === 'string' ? cleanText(value, shownCharacters) : value);
  return cleanText(text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text, shownCharacters + 1);
}
