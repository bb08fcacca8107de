/** Completes values: names declared elsewhere, the values of an enum, presets. */
import { excerpt } from '@baton/expressions';
import { type CheckOptions, type OfferedTool, type Offers, type ServerOffer, splitTarget } from '@baton/language';
import { isObject, type Json } from '@baton/primitives';

import { type Cursor, mark } from '../reading/cursor.ts';
import { type FilePlace, placeAt } from '../reading/filePlace.ts';
import { keywordOf } from '../schemas/schemaNode.ts';
import type { Completion, CompletionKind } from './completion.ts';
import { ranked } from './fuzzy.ts';
import { inSnippet } from './snippets.ts';

/** Common schedules, described in words. */
const cronPresets: readonly { readonly cron: string; readonly about: string }[] = [
  { cron: '*/5 * * * *', about: 'every five minutes' },
  { cron: '0 * * * *', about: 'every hour' },
  { cron: '0 6 * * *', about: 'every day at 6:00' },
  { cron: '0 6 * * 1-5', about: 'Monday to Friday at 6:00' },
  { cron: '0 9 * * 1', about: 'every Monday at 9:00' },
  { cron: '0 0 1 * *', about: 'on the first of each month' },
  { cron: '0 0 1 1 *', about: 'once a year, on 1 January' },
];

/** A value's description, besides its text. */
type ValueNote = Pick<Completion, 'detail' | 'about'>;

export function completeValue(cursor: Cursor, known: CheckOptions): Completion[] {
  const place = placeAt(cursor.value, cursor.pointer, known);
  const item = itemsFor(cursor);
  const written = cursor.text.slice(0, cursor.text.indexOf(mark)) + cursor.typed;
  const named = place.offers === undefined ? [] : offered(place.offers, { cursor, place, known, written, item });
  const values = [...place.nodes, ...place.declared].flatMap((node) => valuesIn(keywordOf(node, 'enum')));
  const isBoolean = place.nodes.some((node) => [keywordOf(node, 'type')].flat().includes('boolean'));
  const plain = [...new Set([...values, ...(isBoolean && named.length === 0 ? [true, false] : [])])];
  const preset = place.declared.map((node) => keywordOf(node, 'default')).find((one) => one !== undefined);
  const shown = plain.map((one) => item('value', one, one === preset ? { detail: 'default' } : {}));
  const examples = plain.length > 0 || named.length > 0 ? [] : place.nodes.flatMap((node) => examplesIn(node.schema));
  const some = [...named, ...shown, ...examples.map((one) => item('value', one))];
  return place.isForeign && some.length === 0 ? [expressionItem(cursor)] : some;
}

const valuesIn = (values: Json | undefined): Json[] =>
  Array.isArray(values) ? (values as readonly Json[]).filter((one) => typeof one !== 'object') : [];

const examplesIn = ({ examples, default: preset, const: constant }: { readonly [key: string]: Json }): Json[] => [
  ...new Set([...valuesIn([constant, preset].filter((one) => one !== undefined)), ...valuesIn(examples)]),
];

type ItemMaker = (kind: CompletionKind, value: Json, note?: ValueNote) => Completion;

/** Writes a value as YAML, in quotes if YAML would read it as something else. */
function itemsFor({ whole, isQuoted, isFlow }: Cursor): ItemMaker {
  return (kind, value, note = {}) => {
    const label = typeof value === 'string' ? value : JSON.stringify(value);
    const isPlain = isQuoted || typeof value !== 'string' || isPlainText(value, isFlow);
    const insert = isPlain ? label : JSON.stringify(label);
    return { label: excerpt(label), kind, insert, isSnippet: false, replace: whole, ...note };
  };
}

/** Whether YAML reads the text unchanged without quotes. */
const isPlainText = (text: string, isFlow: boolean): boolean =>
  /^[A-Za-z_/][^:#\n]*(?::[^\s][^:#\n]*)*$/.test(text) &&
  !/^(?:true|false|null|yes|no|on|off|~)$/i.test(text) &&
  text.trim() === text &&
  !(isFlow && /[,[\]{}]/.test(text));

const expressionItem = ({ whole, isQuoted }: Cursor): Completion => ({
  label: '${{ … }}',
  kind: 'value',
  about: 'A value that is computed when the run gets here.',
  insert: isQuoted ? inSnippet('${{ ') + '$1' + inSnippet(' }}') : `"${inSnippet('${{ ')}$1${inSnippet(' }}')}"`,
  isSnippet: true,
  replace: whole,
  filter: '${{',
});

interface ValueOffer {
  readonly cursor: Cursor;
  readonly place: FilePlace;
  readonly known: CheckOptions;
  /** The text before the cursor. */
  readonly written: string;
  readonly item: ItemMaker;
}

const durations = ({ item }: ValueOffer): Completion[] =>
  ['10s', '30s', '1m', '5m', '30m', '1h', '12h', '1d', '7d'].map((one) => item('value', one));

const sources: Partial<Record<Offers, (offering: ValueOffer) => Completion[]>> = {
  tool: (offering) => targets(offering, 'tool'),
  event: (offering) => targets(offering, 'event'),
  prompt: (offering) => targets(offering, 'prompt'),
  server: ({ known, item }) =>
    [...(known.servers ?? [])].map(([name, offer]) => item('server', name, { detail: serverText(offer) })),
  uri: uris,
  workflow: ({ known, cursor, item }) => {
    const own = isObject(cursor.value) ? cursor.value['workflow'] : undefined;
    return [...(known.workflows?.keys() ?? [])].filter((id) => id !== own).map((id) => item('workflow', id));
  },
  secret: ({ known, item }) => [...(known.secrets?.keys() ?? [])].map((name) => item('secret', name)),
  code: ({ known, cursor, item }) => {
    const own = codesIn(cursor.value);
    return [...new Set([...own, ...(known.failureCodes ?? [])])].map((code) => item('code', code));
  },
  sibling: siblings,
  cron: ({ item }) => cronPresets.map(({ cron, about }) => item('value', cron, { detail: about })),
  timezone: ({ item }) => ['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => item('value', zone)),
  interval: durations,
  duration: durations,
};

const offered = (offers: Offers, offering: ValueOffer): Completion[] => sources[offers]?.(offering) ?? [];

function serverText(offer: ServerOffer): string {
  if (offer.kind === 'known') return `${offer.tools.length} tools`;
  return offer.kind === 'unreachable' ? 'cannot be reached now' : 'not asked yet';
}

const listOf = (
  { tools, prompts, events = [] }: Extract<ServerOffer, { kind: 'known' }>,
  kind: 'tool' | 'prompt' | 'event',
): readonly Pick<OfferedTool, 'name' | 'title' | 'description'>[] =>
  ({ tool: tools, prompt: prompts, event: events })[kind];

/** `server/name`: the best match in name, title or description first. */
function targets({ known, written, item }: ValueOffer, kind: 'tool' | 'prompt' | 'event'): Completion[] {
  const all = [...(known.servers ?? [])].flatMap(([server, offer]) =>
    offer.kind === 'known'
      ? listOf(offer, kind).map(({ name, title, description }) => ({
          name: `${server}/${name}`,
          title: title ?? '',
          description: description ?? '',
        }))
      : [],
  );
  const found = ranked(written, all);
  const items = found.map(({ name, title, description }) => {
    const about = description === '' ? title : description;
    const effect = kind === 'tool' ? known.effects?.(...splitTarget(name)) : undefined;
    const detail = [effect?.effect, title].filter((one) => one !== undefined && one !== '').join(' · ');
    return {
      ...item(kind, name, { detail, ...(about === '' ? {} : { about }) }),
      filter: written === '' ? name : written,
    };
  });
  if (items.length > 0) return items;
  return [...(known.servers?.keys() ?? [])].map((server) => item('server', `${server}/`));
}

function uris({ place, known, item }: ValueOffer): Completion[] {
  const owner = place.around.at(-1);
  const server = isObject(owner) ? owner['resource'] : undefined;
  const offer = typeof server === 'string' ? known.servers?.get(server) : undefined;
  if (offer?.kind !== 'known') return [];
  return [...offer.resourceTemplates, ...offer.resources].map((uri) => item('resource', uri));
}

/** Ids of the step's siblings. */
function siblings({ place, cursor, item }: ValueOffer): Completion[] {
  const at = place.around.findLastIndex((one) => isObject(one) && Array.isArray(one['parallel']));
  const owner = place.around[at];
  const beside = isObject(owner) && Array.isArray(owner['parallel']) ? (owner['parallel'] as readonly Json[]) : [];
  const own = place.around.at(-2);
  const written = place.around.at(-1);
  const ids = beside.flatMap((one) =>
    isObject(one) && one !== own && typeof one['id'] === 'string' ? [one['id']] : [],
  );
  const needed = new Set(Array.isArray(written) ? (written as readonly Json[]) : []);
  return ids.filter((id) => !needed.has(id) || cursor.text === id).map((id) => item('step', id));
}

/** Codes of the `fail` steps in this file. */
function codesIn(value: Json): string[] {
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(codesIn);
  if (!isObject(value)) return [];
  const own = 'fail' in value && typeof value['code'] === 'string' ? [value['code']] : [];
  return [...own.filter((code) => !code.includes(mark)), ...Object.values(value).flatMap(codesIn)];
}
