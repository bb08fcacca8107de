/** Completes inside an expression: names, fields, and functions. */
import {
  binding,
  type FunctionSpec,
  signatureOf,
  functions,
  macros,
  namespaces,
  infer,
  type ExpressionNode,
  type Type,
  types,
  type ValueKind,
  type Span,
} from '@baton/expressions';
import { type CheckOptions, type StepsInScope, whyNotUsed } from '@baton/language';

import { nameMeanings } from '../names/nameMeanings.ts';
import { mark } from '../reading/cursor.ts';
import { markedNode, parseAround } from '../reading/expressionPart.ts';
import type { ReadableScope } from '../reading/recordedScopes.ts';
import { typeText } from '../schemas/typeText.ts';
import type { Completion } from './completion.ts';

export interface ExpressionCursor {
  /** Contains the mark. */
  readonly source: string;
  readonly readable: ReadableScope;
  readonly word: Span;
  readonly known: CheckOptions;
}

export function completeExpression(cursor: ExpressionCursor): Completion[] {
  const tree = parseAround(cursor.source);
  const node = tree && markedNode(tree);
  if (tree === undefined || node === undefined) return [];
  const seen = lookAt(cursor, tree, node);
  if (node.op === 'id' || node.op === 'call') return namesAndFunctions(cursor, seen.names);
  if (node.op === 'rcall') return methods(cursor, seen.receiver);
  const isKey = node.op === '[]' || node.op === '[?]';
  const isOptional = node.op === '.?' || node.op === '[?]';
  const from = accessedOf(node);
  const named = from?.op === 'id' ? from.args : undefined;
  if (named === 'steps' && !seen.names.has(mark)) return steps(cursor, { isKey, isOptional });
  if (named === 'secrets') return secrets(cursor);
  if (named !== undefined && namespaces[named] !== undefined && !seen.names.has(named))
    return namespaces[named].map((name) => memberItem(cursor, named, name));
  return [...fields(cursor, seen.receiver, { isKey, isOptional }), ...(isKey ? [] : methods(cursor, seen.receiver))];
}

function accessedOf(node: ExpressionNode): ExpressionNode | undefined {
  if (node.op === '.' || node.op === '.?' || node.op === '[]' || node.op === '[?]') return node.args[0];
  return node.op === 'rcall' ? node.args[1] : undefined;
}

interface NamesAtMark {
  /** The names in scope at the mark, including those that the expression binds. */
  readonly names: ReadonlyMap<string, Type>;
  readonly receiver: Type;
}

function lookAt({ readable }: ExpressionCursor, tree: ExpressionNode, node: ExpressionNode): NamesAtMark {
  let names = readable.names;
  let receiver: Type = types.any;
  const from = accessedOf(node);
  infer(
    {
      names: readable.names,
      unlisted: readable.unlisted,
      guarded: new Set(),
      complain: () => undefined,
      note: (one, type, at) => {
        if (one === node) ({ names } = at);
        if (one === from) receiver = type;
      },
    },
    tree,
  );
  return { names, receiver };
}

type Replacement = Pick<Completion, 'insert' | 'isSnippet' | 'replace'>;

const plain = ({ word }: ExpressionCursor, insert: string): Replacement => ({
  insert,
  isSnippet: false,
  replace: word,
});

function namesAndFunctions(cursor: ExpressionCursor, names: ReadonlyMap<string, Type>): Completion[] {
  const listed = [...names].filter(([name]) => name !== mark && !cursor.readable.unlisted.has(name)).toReversed();
  const known = listed.map(([name, type]): Completion => {
    const about = nameMeanings[name];
    return {
      ...plain(cursor, name),
      label: name,
      kind: 'name',
      detail: typeText(type, 1),
      ...(about === undefined ? {} : { about }),
    };
  });
  const called = [...functions.keys(), 'has', 'default', 'cel.bind', 'optional.of', 'optional.none'];
  return [...known, ...called.map((name) => functionItem(cursor, name))];
}

function functionItem(cursor: ExpressionCursor, name: string, isMethod = false): Completion {
  const spec = functions.get(name);
  const macro = macros.get(name.split('.').at(-1) ?? name);
  const takes = spec === undefined || spec.parameters.length > (isMethod ? 1 : 0);
  return {
    insert: takes ? `${name}($1)` : `${name}()`,
    isSnippet: true,
    replace: cursor.word,
    label: name,
    kind: 'function',
    detail: spec === undefined ? (macro?.form ?? name) : `${signatureOf(spec)}${resultOf(spec)}`,
    about: spec?.about ?? macro?.about ?? '',
  };
}

/** After a namespace and its point. */
function memberItem(cursor: ExpressionCursor, namespace: string, name: string): Completion {
  const qualified = `${namespace}.${name}`;
  const item = functionItem(cursor, functions.has(qualified) ? qualified : name);
  return { ...item, label: name, insert: item.insert.replace(`${namespace}.`, '') };
}

const resultOf = ({ returns }: FunctionSpec): string =>
  typeof returns === 'function' ? '' : ` → ${typeText(returns, 1)}`;

/** All forms that bind names, but for that of maps. */
const formsOfLists = Object.keys(binding).filter((name) => name !== 'transformMap');

/** Methods for the value before the dot. */
function methods(cursor: ExpressionCursor, receiver: Type): Completion[] {
  const fits = (kinds: readonly ValueKind[] | undefined): boolean =>
    kinds === undefined || types.mayBe(receiver, kinds);
  const named = [...functions.values()].filter(
    ({ name, parameters: [first] }) => !name.includes('.') && first !== undefined && fits(first.kinds),
  );
  const bound = types.mayBe(receiver, ['list']) ? formsOfLists : [];
  const optional = receiver.kind === 'optional' ? ['orValue', 'or'] : [];
  const ofMap = types.mayBe(receiver, ['map']) && receiver.kind !== 'any' ? ['transformMap'] : [];
  const names = [...optional, ...bound, ...ofMap, ...named.map(({ name }) => name)];
  return [...new Set(names)].map((name) => functionItem(cursor, name, true));
}

interface AccessForm {
  /** Between brackets and quotes. */
  readonly isKey: boolean;
  readonly isOptional: boolean;
}

function fields(cursor: ExpressionCursor, receiver: Type, { isKey, isOptional }: AccessForm): Completion[] {
  const found = new Map<string, types.Field>();
  const inside = receiver.kind === 'optional' ? receiver.of : receiver;
  for (const one of types.alternatives(inside)) {
    if (one.kind === 'map') for (const [key, field] of one.fields) if (!found.has(key)) found.set(key, field);
  }
  return [...found]
    .filter(([key]) => isKey || /^[A-Za-z_]\w*$/.test(key))
    .map(([key, field]) => {
      const isMaybe = field.isOptional === true && !isOptional && !isKey && receiver.kind !== 'optional';
      return {
        ...plain(cursor, isMaybe ? `?${key}` : key),
        label: key,
        kind: 'field',
        detail: `${typeText(field.type, 1)}${field.isOptional === true ? ', may be missing' : ''}`,
      };
    });
}

function steps(cursor: ExpressionCursor, { isKey, isOptional }: AccessForm): Completion[] {
  const known: StepsInScope = cursor.readable.steps ?? new Map();
  return [...known].toReversed().flatMap(([id, { type, certainty }]) => {
    if (id === mark || (id.includes('-') && !isKey)) return id === mark ? [] : [hyphened(cursor, id, type)];
    const isMaybe = certainty !== 'ran' && !isOptional && !isKey;
    const detail = `${typeText(type, 1)}${certainty === 'ran' ? '' : ', may not have run'}`;
    return [{ ...plain(cursor, isMaybe ? `?${id}` : id), label: id, kind: 'step' as const, detail }];
  });
}

/** After a dot a hyphen is a minus, so brackets replace the dot. */
const hyphened = ({ word, source }: ExpressionCursor, id: string, type: Type): Completion => {
  const isOptional = source.includes(`?${mark}`);
  return {
    insert: isOptional ? `[?"${id}"]` : `["${id}"]`,
    isSnippet: false,
    replace: [word[0] - (isOptional ? 2 : 1), word[1]],
    label: id,
    kind: 'step',
    detail: typeText(type, 1),
    filter: `.${id}`,
  };
};

function secrets({ known, readable, word }: ExpressionCursor): Completion[] {
  if (readable.unlisted.has('secrets')) return [];
  const use = readable.server === undefined ? {} : { server: readable.server };
  return [...(known.secrets ?? [])]
    .filter(([name, binding]) => whyNotUsed(name, binding, use) === undefined)
    .map(([name]) => ({ insert: name, isSnippet: false, replace: word, label: name, kind: 'secret' as const }));
}
