/** Finds what an expression reads, and how it uses it. */
import { binding } from './forms.ts';
import { namespaces } from './functions.ts';
import type { ExpressionNode } from './parse.ts';

/** One `steps.<id>` or `secrets.<NAME>`. */
export interface MemberReference {
  readonly of: 'steps' | 'secrets';
  /** Undefined if it is computed, or if the whole map is meant. */
  readonly name: string | undefined;
  /** The access, or the bare name. */
  readonly node: ExpressionNode;
  /** `steps.?x`, `steps[?"x"]`, or inside `has(…)`. */
  readonly isOptional: boolean;
  /** The result of the expression is this value, alone or joined to other texts, or a digest keyed by it. */
  readonly isInserted: boolean;
}

export interface ReferenceReading {
  readonly names: ReadonlySet<string>;
  /** Names read as `inputs.<name>`; undefined where `inputs` is read in another way too. */
  readonly inputs: ReadonlySet<string> | undefined;
  readonly members: readonly MemberReference[];
}

const roots = new Set<string>(['steps', 'secrets']);

export function readingOf(root: ExpressionNode): ReferenceReading {
  const names = new Set<string>();
  const members: MemberReference[] = [];
  const inputs = new Set<string>();
  let readsAllInputs = false;
  const walk = (node: ExpressionNode, bound: ReadonlySet<string>, isInserted: boolean): void => {
    const member = memberAt(node, bound, isInserted);
    if (member !== undefined) {
      names.add(member.of);
      members.push(member);
      if (node.op === '[]' || node.op === '[?]') walk(node.args[1], bound, false);
      return;
    }
    const input = inputAt(node, bound);
    if (input !== undefined) {
      names.add('inputs');
      inputs.add(input);
      return;
    }
    if (node.op === 'id' && !bound.has(node.args)) {
      names.add(node.args);
      readsAllInputs ||= node.args === 'inputs';
    }
    const asked = askedAbout(node, bound);
    if (asked !== undefined) {
      names.add(asked.of);
      members.push(asked);
      return;
    }
    const binder = binderOf(node, bound);
    for (const child of childrenOf(node)) {
      const isBody = binder?.bodies.includes(child) === true;
      if (binder?.variables.includes(child) !== true) {
        const isPassedOn = node.op === '+' || child === keyOfHmac(node);
        walk(child, isBody ? new Set([...bound, ...binder.names]) : bound, isInserted && isPassedOn);
      }
    }
  };
  walk(root, new Set(), true);
  return { names, members, inputs: readsAllInputs ? undefined : inputs };
}

/** `has(steps.x)`. */
function askedAbout(node: ExpressionNode, bound: ReadonlySet<string>): MemberReference | undefined {
  if (node.op !== 'call' || node.args[0] !== 'has') return undefined;
  const [target] = node.args[1];
  const member = target && memberAt(target, bound, false);
  return member && { ...member, isOptional: true };
}

function memberAt(node: ExpressionNode, bound: ReadonlySet<string>, isInserted: boolean): MemberReference | undefined {
  const of = rootName(node, bound);
  if (of !== undefined) return { of, name: undefined, node, isOptional: false, isInserted };
  if (node.op !== '.' && node.op !== '.?' && node.op !== '[]' && node.op !== '[?]') return undefined;
  const from = rootName(node.args[0], bound);
  if (from === undefined) return undefined;
  const name = keyOf(node.args[1]);
  return { of: from, name, node, isOptional: node.op === '.?' || node.op === '[?]', isInserted };
}

/** `inputs.x`, `inputs["x"]`. */
function inputAt(node: ExpressionNode, bound: ReadonlySet<string>): string | undefined {
  if (node.op !== '.' && node.op !== '.?' && node.op !== '[]' && node.op !== '[?]') return undefined;
  const [from, key] = node.args;
  return from.op === 'id' && from.args === 'inputs' && !bound.has('inputs') ? keyOf(key) : undefined;
}

/** Undefined if it is computed. */
function keyOf(key: string | ExpressionNode): string | undefined {
  if (typeof key === 'string') return key;
  return key.op === 'value' && typeof key.args === 'string' ? key.args : undefined;
}

function rootName(node: ExpressionNode, bound: ReadonlySet<string>): 'steps' | 'secrets' | undefined {
  if (node.op !== 'id' || bound.has(node.args) || !roots.has(node.args)) return undefined;
  return node.args === 'steps' ? 'steps' : 'secrets';
}

/** The key of `hmac(text, key)`: a secret may stand there, since the digest is made just before the call. */
function keyOfHmac(node: ExpressionNode): ExpressionNode | undefined {
  if (node.op === 'call') return node.args[0] === 'hmac' ? node.args[1][1] : undefined;
  return node.op === 'rcall' && node.args[0] === 'hmac' ? node.args[2][0] : undefined;
}

interface Binder {
  readonly names: readonly string[];
  readonly variables: readonly ExpressionNode[];
  readonly bodies: readonly ExpressionNode[];
}

/** The names that a form binds, and where they are seen. */
function binderOf(node: ExpressionNode, bound: ReadonlySet<string>): Binder | undefined {
  if (node.op !== 'rcall') return undefined;
  const [method, receiver, args] = node.args;
  const isBind = method === 'bind' && receiver.op === 'id' && receiver.args === 'cel' && !bound.has('cel');
  const known = Object.hasOwn(binding, method) ? binding[method] : undefined;
  const form = isBind ? { names: 1, begins: true } : known;
  const variables = args.slice(0, form?.names);
  const names = variables.flatMap((one) => (one.op === 'id' ? [one.args] : []));
  const bodies = form === undefined ? [] : args.slice(form.names + (form.begins === true ? 1 : 0));
  if (form === undefined || names.length < form.names || bodies.length === 0) return undefined;
  return { names, variables, bodies };
}

export function childrenOf(node: ExpressionNode): readonly ExpressionNode[] {
  switch (node.op) {
    case 'value':
    case 'id':
      return [];
    case '.':
    case '.?':
      return [node.args[0]];
    case 'call':
      return node.args[1];
    case 'rcall': {
      const [, receiver, args] = node.args;
      const isNamespace = receiver.op === 'id' && Object.hasOwn(namespaces, receiver.args);
      return isNamespace ? args : [receiver, ...args];
    }
    case 'list':
      return node.args;
    case 'map':
      return node.args.flat();
    case '!_':
    case '-_':
      return [node.args];
    default:
      return node.args;
  }
}
