/** Translates an expression of another system into CEL. The importer resolves names. */
import { literal, member } from '@baton/expressions';

import { type Syntax, UnmappedError } from './syntax.ts';

export type PathPart = string | number;

/** A path that begins with a name or a call: `$json.a`, `$('Fetch').item.json.a`, `github.event.issue`. */
export interface NamePath {
  readonly name: string;
  /** The argument, if the path begins with a call: `$('Fetch')`. */
  readonly argument: PathPart | undefined;
  readonly path: readonly PathPart[];
}

export interface NameMeanings {
  /** The CEL of the whole path. Throws `UnmappedError`. */
  readonly read: (path: NamePath) => string;
  /** The CEL of a function call; undefined: the system has no such function. */
  readonly call?: (name: string, args: readonly string[]) => string | undefined;
  /** The CEL of `value.method(…)`; undefined: there is no such method. */
  readonly method?: (name: string, of: string, args: readonly string[]) => string | undefined;
  /** The CEL of a comparison that means something else in CEL; undefined: it is written as it is. */
  readonly compare?: (comparison: Comparison) => string | undefined;
}

/** `==` or `!=` between two values; `===` converts neither of them. */
export interface Comparison {
  readonly operator: '==' | '!=';
  readonly isStrict: boolean;
  readonly left: ComparedValue;
  readonly right: ComparedValue;
}

export interface ComparedValue {
  readonly cel: string;
  /** Present if it is a literal. */
  readonly value?: string | number | boolean | null;
}

/** The CEL of a part of a value. */
export const joined = (base: string, path: readonly PathPart[]): string =>
  path.reduce<string>((of, key) => member(of, key), base);

/** As `joined`, with optional access at each step. */
export const optionalPath = (base: string, path: readonly PathPart[]): string =>
  path.reduce<string>((of, key) => optionalMember(of, key), base);

function optionalMember(of: string, key: PathPart): string {
  const isName = typeof key === 'string' && /^\w+$/.test(key);
  return isName ? `${of}.?${key}` : `${of}[?${JSON.stringify(key)}]`;
}

/** Throws `UnmappedError`. */
export const celOf = (syntax: Syntax, meanings: NameMeanings): string =>
  new Translation(meanings, new Set()).cel(syntax);

const parts = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[([{]|[)\]}]|[^"'()[\]{}]+/g;

/** Its parts outside quotes and brackets. */
function outermost(cel: string): string {
  let depth = 0;
  const outer: string[] = [];
  for (const [part] of cel.matchAll(parts)) {
    if (/^[([{]/.test(part)) depth += 1;
    else if (/^[)\]}]/.test(part)) depth -= 1;
    else if (depth === 0 && !/^["']/.test(part)) outer.push(part);
  }
  return outer.join('');
}

/** One name or call of another system may be written with operators in CEL: `success()` is `error == null`. */
const isCompound = (cel: string): boolean => outermost(cel).includes(' ');

const operators: Readonly<Record<string, string>> = { '===': '==', '!==': '!=' };

class Translation {
  readonly #meanings: NameMeanings;
  /** Parameters of the enclosing functions. */
  readonly #locals: ReadonlySet<string>;

  constructor(meanings: NameMeanings, locals: ReadonlySet<string>) {
    this.#meanings = meanings;
    this.#locals = locals;
  }

  cel(syntax: Syntax): string {
    switch (syntax.kind) {
      case 'literal':
        return literal(syntax.value);
      case 'name':
      case 'member':
        return this.#reading(syntax);
      case 'call':
        return this.#call(syntax);
      case 'not':
        return `!${this.#inner(syntax.of)}`;
      case 'minus':
        return `-${this.#inner(syntax.of)}`;
      case 'binary':
        return this.#binary(syntax);
      case 'choice':
        return `${this.#inner(syntax.when)} ? ${this.#inner(syntax.holds)} : ${this.#inner(syntax.otherwise)}`;
      case 'list':
        return `[${syntax.items.map((one) => this.cel(one)).join(', ')}]`;
      case 'map':
        return `{${syntax.entries.map(([key, value]) => `${literal(key)}: ${this.cel(value)}`).join(', ')}}`;
      case 'text':
        return syntax.parts
          .map((one) => (one.kind === 'literal' ? this.cel(one) : `string(${this.cel(one)})`))
          .join(' + ');
      case 'arrow':
        throw new UnmappedError('CEL has no functions as values');
    }
  }

  #inner(syntax: Syntax): string {
    const text = this.cel(syntax);
    switch (syntax.kind) {
      case 'binary':
      case 'choice':
      case 'text':
        return `(${text})`;
      case 'name':
      case 'member':
      case 'call':
        return isCompound(text) ? `(${text})` : text;
      default:
        return text;
    }
  }

  /** A side of `&&` or `||`, which bind less than all else but `?:`. */
  #joint(syntax: Syntax): string {
    const text = this.cel(syntax);
    const isTight = isComparison(syntax) || (syntax.kind === 'call' && !/ (?:&&|\|\||\?) /.test(outermost(text)));
    return isTight ? text : this.#inner(syntax);
  }

  #binary({ operator, left, right }: BinarySyntax): string {
    // GitHub has no `?:`: authors write `when && 'a' || 'b'`.
    if (operator === '||' && isChosen(left))
      return this.cel({ kind: 'choice', when: left.left, holds: left.right, otherwise: right });
    const isValue = right.kind === 'literal' && typeof right.value !== 'boolean';
    if (operator === '??' || (operator === '||' && (isValue || right.kind === 'list' || right.kind === 'text')))
      return alternatives(left, operator).reduceRight(
        (rest, one) => this.#default(one, operator, rest),
        this.cel(right),
      );
    const isEquality = /^[=!]==?$/.test(operator);
    const compared = isEquality ? this.#compared(operator, left, right) : undefined;
    if (compared !== undefined) return compared;
    const isSame = (one: Syntax): boolean => one.kind === 'binary' && one.operator === operator;
    const isJunction = operator === '&&' || operator === '||';
    const side = (one: Syntax): string => (isJunction ? this.#joint(one) : this.#inner(one));
    return `${isSame(left) ? this.cel(left) : side(left)} ${operators[operator] ?? operator} ${side(right)}`;
  }

  #compared(operator: string, left: Syntax, right: Syntax): string | undefined {
    const sideOf = (one: Syntax): ComparedValue =>
      one.kind === 'literal' ? { cel: this.cel(one), value: one.value } : { cel: this.#inner(one) };
    const comparison = { left: sideOf(left), right: sideOf(right) };
    const isStrict = operator.length === 3;
    return this.#meanings.compare?.({ operator: operator.startsWith('!') ? '!=' : '==', isStrict, ...comparison });
  }

  /** A value that is empty, false, zero or null takes the default of `||`, one that is null that of `??`. */
  #default(syntax: Syntax, operator: string, otherwise: string): string {
    const path = this.#optional(syntax);
    const value = path === undefined ? this.cel(syntax) : `${path}.orValue(null)`;
    const isNone = operator === '??' ? 'found == null' : 'found in [null, "", false, 0]';
    return `cel.bind(found, ${value}, ${isNone} ? ${otherwise} : found)`;
  }

  /** Makes the last step of a path an optional access; undefined if it is no path. */
  #optional(syntax: Syntax): string | undefined {
    const text = this.cel(syntax);
    const [, of, key] = /^(.+)\.(\w+)$/.exec(text) ?? [];
    const [, before, quoted] = /^(.+)\[("[^"]*")\]$/.exec(text) ?? [];
    if (/\.\?\w+$|\[\?[^\]]+\]$/.test(text)) return text;
    if (syntax.kind === 'member' && of !== undefined && key !== undefined) return `${of}.?${key}`;
    if (syntax.kind === 'member' && before !== undefined && quoted !== undefined) return `${before}[?${quoted}]`;
    return undefined;
  }

  #reading(syntax: Syntax): string {
    const path = pathOf(syntax);
    if (path !== undefined && !this.#locals.has(path.name)) return this.#meanings.read(path);
    if (syntax.kind === 'name') return syntax.name;
    if (syntax.kind !== 'member') throw new UnmappedError('a part of it has no counterpart');
    const { of, key, isOptional } = syntax;
    const base = this.#inner(of);
    if (key.kind !== 'literal') return `${base}[${this.cel(key)}]`;
    if (key.value === 'length') return `size(${base})`;
    const to = typeof key.value === 'number' ? key.value : String(key.value);
    return isOptional && typeof to === 'string' && /^\w+$/.test(to) ? `${base}.?${to}` : member(base, to);
  }

  #call({ callee, args }: Extract<Syntax, { kind: 'call' }>): string {
    const path = pathOf({ kind: 'call', callee, args });
    if (path !== undefined) {
      const whole = this.#function(path.name, args);
      return whole ?? this.#meanings.read(path);
    }
    if (callee.kind === 'name') {
      const found = this.#function(callee.name, args);
      if (found !== undefined) return found;
      throw new UnmappedError(`${callee.name}() has no counterpart`);
    }
    if (callee.kind !== 'member' || callee.key.kind !== 'literal') throw new UnmappedError('a call has no counterpart');
    const name = String(callee.key.value);
    if (callee.of.kind === 'name') {
      const found = this.#function(`${callee.of.name}.${name}`, args);
      if (found !== undefined) return found;
    }
    return this.#method(name, callee.of, args);
  }

  #function(name: string, args: readonly Syntax[]): string | undefined {
    const { call } = this.#meanings;
    if (call === undefined) return undefined;
    return call(
      name,
      args.map((one) => (one.kind === 'arrow' ? '' : this.cel(one))),
    );
  }

  #method(name: string, of: Syntax, args: readonly Syntax[]): string {
    const base = this.#inner(of);
    const [first] = args;
    if (first?.kind === 'arrow') {
      const macro = macros[name];
      if (macro === undefined) throw new UnmappedError(`.${name}(…) has no counterpart`);
      const { parameter, body } = first;
      const inside = new Translation(this.#meanings, new Set([...this.#locals, parameter]));
      return macro(base, parameter, inside.cel(body));
    }
    const found = this.#meanings.method?.(
      name,
      base,
      args.map((one) => this.cel(one)),
    );
    if (found === undefined) throw new UnmappedError(`.${name}(…) has no counterpart`);
    return found;
  }
}

const macros: Readonly<Record<string, (of: string, name: string, body: string) => string>> = {
  map: (of, name, body) => `${of}.map(${name}, ${body})`,
  filter: (of, name, body) => `${of}.filter(${name}, ${body})`,
  find: (of, name, body) => `${of}.filter(${name}, ${body})[0]`,
  some: (of, name, body) => `${of}.exists(${name}, ${body})`,
  every: (of, name, body) => `${of}.all(${name}, ${body})`,
};

type BinarySyntax = Extract<Syntax, { kind: 'binary' }>;

const isChosen = (syntax: Syntax): syntax is BinarySyntax =>
  syntax.kind === 'binary' &&
  syntax.operator === '&&' &&
  syntax.right.kind === 'literal' &&
  Boolean(syntax.right.value);

const isComparison = (syntax: Syntax): boolean =>
  syntax.kind === 'binary' && /^(?:[=!]==?|[<>]=?)$/.test(syntax.operator);

/** The operands of a chain such as `a || b || c`. */
const alternatives = (syntax: Syntax, operator: string): readonly Syntax[] =>
  syntax.kind === 'binary' && syntax.operator === operator
    ? [...alternatives(syntax.left, operator), syntax.right]
    : [syntax];

/** Undefined if the expression is more than a name and keys. */
function pathOf(syntax: Syntax): NamePath | undefined {
  if (syntax.kind === 'name') return { name: syntax.name, argument: undefined, path: [] };
  if (syntax.kind === 'call') {
    const { callee, args } = syntax;
    const [first] = args;
    if (callee.kind === 'name' && args.length === 1 && first?.kind === 'literal' && isPart(first.value))
      return callee.name === '$' || callee.name === '$items'
        ? { name: '$', argument: first.value, path: [] }
        : undefined;
    // `$('Fetch').first().json`: the path does not say which item it is.
    if (callee.kind !== 'member' || callee.key.kind !== 'literal') return undefined;
    const base = pathOf(callee.of);
    const isItem = base?.argument !== undefined || base?.name === '$input';
    return isItem && ['first', 'last', 'item', 'all'].includes(String(callee.key.value)) && args.length === 0
      ? base && { ...base, path: [...base.path, String(callee.key.value)] }
      : undefined;
  }
  if (syntax.kind !== 'member' || syntax.key.kind !== 'literal' || !isPart(syntax.key.value)) return undefined;
  if (syntax.key.value === 'length' || syntax.isOptional) return undefined;
  const base = pathOf(syntax.of);
  return base && { ...base, path: [...base.path, syntax.key.value] };
}

const isPart = (value: unknown): value is PathPart => typeof value === 'string' || typeof value === 'number';
