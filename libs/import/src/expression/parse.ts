/** Reads an expression of JavaScript, or of GitHub Actions. */
import type { Syntax, SyntaxDialect } from './syntax.ts';
import { UnmappedError } from './syntax.ts';
import type { Token } from './tokens.ts';
import { tokensOf } from './tokens.ts';

/** From the loosest to the tightest. */
const levels: readonly (readonly string[])[] = [
  ['??', '||'],
  ['&&'],
  ['===', '!==', '==', '!='],
  ['<', '>', '<=', '>='],
  ['+', '-'],
  ['*', '/', '%'],
];
const depthMost = 64;
/** The parser, and the translator of what it returns, call themselves for each sign. */
const tokensMost = 1_000;

/** Throws `UnmappedError`. */
export function parseExpression(code: string, dialect: SyntaxDialect): Syntax {
  const tokens = tokensOf(code, dialect);
  if (tokens.length > tokensMost) throw new UnmappedError(`it has more than ${tokensMost} parts`);
  return new Parser(tokens, dialect).whole();
}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #dialect: SyntaxDialect;
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], dialect: SyntaxDialect) {
    this.#tokens = tokens;
    this.#dialect = dialect;
  }

  whole(): Syntax {
    const syntax = this.#choice();
    if (this.#at < this.#tokens.length) throw new UnmappedError('it is more than one expression');
    return syntax;
  }

  #isSign(value: string): boolean {
    const token = this.#tokens[this.#at];
    return token?.kind === 'sign' && token.value === value;
  }

  #take(value: string): boolean {
    const isThere = this.#isSign(value);
    if (isThere) this.#at += 1;
    return isThere;
  }

  #need(value: string): void {
    if (!this.#take(value)) throw new UnmappedError(`"${value}" is missing in it`);
  }

  #choice(): Syntax {
    this.#depth += 1;
    if (this.#depth > depthMost) throw new UnmappedError('it is nested too deep');
    const when = this.#binary(0);
    let choice = when;
    if (this.#take('?')) {
      const holds = this.#choice();
      this.#need(':');
      choice = { kind: 'choice', when, holds, otherwise: this.#choice() };
    }
    this.#depth -= 1;
    return choice;
  }

  #binary(level: number): Syntax {
    const operators = levels[level];
    if (operators === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    for (;;) {
      const token = this.#tokens[this.#at];
      if (token?.kind !== 'sign' || !operators.includes(token.value)) return left;
      this.#at += 1;
      left = { kind: 'binary', operator: token.value, left, right: this.#binary(level + 1) };
    }
  }

  #unary(): Syntax {
    if (this.#take('!')) return { kind: 'not', of: this.#unary() };
    if (this.#take('-')) return { kind: 'minus', of: this.#unary() };
    return this.#postfix(this.#primary());
  }

  #postfix(first: Syntax): Syntax {
    let of = first;
    for (;;) {
      if (this.#take('.'))
        of = this.#isSign('*') ? this.#star(of) : { kind: 'member', of, key: this.#memberName(), isOptional: false };
      else if (this.#take('?.')) {
        if (this.#isSign('[')) continue;
        of = { kind: 'member', of, key: this.#memberName(), isOptional: true };
      } else if (this.#take('[')) {
        const key = this.#choice();
        this.#need(']');
        of = { kind: 'member', of, key, isOptional: false };
      } else if (this.#take('(')) of = { kind: 'call', callee: of, args: this.#list(')') };
      else return of;
    }
  }

  /** `labels.*.name`: that of each item. */
  #star(of: Syntax): Syntax {
    this.#need('*');
    this.#need('.');
    const one: Syntax = { kind: 'name', name: 'one' };
    const body: Syntax = { kind: 'member', of: one, key: this.#memberName(), isOptional: false };
    const callee: Syntax = { kind: 'member', of, key: { kind: 'literal', value: 'map' }, isOptional: false };
    return { kind: 'call', callee, args: [{ kind: 'arrow', parameter: 'one', body }] };
  }

  #memberName(): Syntax {
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'name') throw new UnmappedError('a name is missing after a dot');
    this.#at += 1;
    return { kind: 'literal', value: token.value };
  }

  /** To the closing sign, which is taken. */
  #list(end: string): Syntax[] {
    const items: Syntax[] = [];
    while (!this.#take(end)) {
      if (items.length > 0) {
        this.#need(',');
        if (this.#take(end)) break;
      }
      items.push(this.#arrow() ?? this.#choice());
    }
    return items;
  }

  #arrow(): Syntax | undefined {
    const names = this.#tokens.slice(this.#at, this.#at + 4).map((token) => ('value' in token ? token.value : ''));
    const isBare = names[1] === '=>';
    const isInBraces = names[0] === '(' && names[2] === ')' && names[3] === '=>';
    if (!isBare && !isInBraces) return undefined;
    this.#at += isBare ? 2 : 4;
    return { kind: 'arrow', parameter: String(names[isBare ? 0 : 1]), body: this.#choice() };
  }

  #primary(): Syntax {
    const token = this.#tokens[this.#at];
    this.#at += 1;
    switch (token?.kind) {
      case undefined:
        throw new UnmappedError('it ends too early');
      case 'number':
      case 'string':
        return { kind: 'literal', value: token.value };
      case 'template':
        return { kind: 'text', parts: token.parts.flatMap((part) => this.#templatePart(part)) };
      case 'name':
        return this.#named(token.value);
      case 'sign':
        return this.#opened(token.value);
    }
  }

  #templatePart({ text, code }: { readonly text: string; readonly code?: string }): Syntax[] {
    const before: Syntax[] = text === '' ? [] : [{ kind: 'literal', value: text }];
    return code === undefined ? before : [...before, parseExpression(code, this.#dialect)];
  }

  #named(name: string): Syntax {
    const constants: Readonly<Record<string, boolean | null>> = {
      true: true,
      false: false,
      null: null,
      undefined: null,
    };
    const constant = Object.hasOwn(constants, name) ? constants[name] : undefined;
    if (constant !== undefined) return { kind: 'literal', value: constant };
    if (name !== 'new') return { kind: 'name', name };
    const made = this.#memberName();
    return { kind: 'name', name: `new ${made.kind === 'literal' ? String(made.value) : ''}` };
  }

  #opened(sign: string): Syntax {
    if (sign === '(') {
      const inner = this.#choice();
      this.#need(')');
      return inner;
    }
    if (sign === '[') return { kind: 'list', items: this.#list(']') };
    if (sign === '{') return { kind: 'map', entries: this.#entries() };
    throw new UnmappedError(`"${sign}" is not read at its place`);
  }

  #entries(): [string, Syntax][] {
    const entries: [string, Syntax][] = [];
    while (!this.#take('}')) {
      if (entries.length > 0) this.#need(',');
      if (this.#take('}')) break;
      const key = this.#tokens[this.#at];
      if (key?.kind !== 'name' && key?.kind !== 'string') throw new UnmappedError('a key of a map is not a name');
      this.#at += 1;
      entries.push([key.value, this.#take(':') ? this.#choice() : { kind: 'name', name: key.value }]);
    }
    return entries;
  }
}
