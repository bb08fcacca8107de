/** Parses expressions of JavaScript with acorn, and keeps the syntax that may have a counterpart in CEL. */
import { excerpt } from '@baton/expressions';
import { type AnyNode, type Property, type SpreadElement, parseExpressionAt, tokenizer } from 'acorn';

import { type Syntax, limitParts, literalOf, UnmappedError } from './syntax.ts';

const options = { ecmaVersion: 2025, preserveParens: true } as const;

/** Throws `UnmappedError`. */
export function readJavascript(code: string): Syntax {
  // Counts brackets in the text, since acorn reads a regular expression as one token.
  limitParts(code.match(/[([{]/g)?.length ?? 0);
  try {
    let parts = 0;
    let end = 0;
    for (const token of tokenizer(code, options)) {
      limitParts((parts += 1));
      ({ end } = token);
    }
    const tree = parseExpressionAt(code, 0, options);
    if (tree.end < end) throw new UnmappedError('it is more than one expression');
    return syntaxOf(tree);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UnmappedError(`it is not valid JavaScript (${excerpt(error.message, 100)})`, { cause: error });
  }
}

const operators = new Set('== != === !== < > <= >= + - * / % && || ??'.split(' '));

function syntaxOf(node: AnyNode): Syntax {
  switch (node.type) {
    case 'ParenthesizedExpression':
    case 'ChainExpression':
      return syntaxOf(node.expression);
    case 'Literal': {
      const { value } = node;
      if (value === undefined || typeof value === 'bigint' || value instanceof RegExp || node.regex) throw unread(node);
      return literalOf(value);
    }
    case 'Identifier':
      return node.name === 'undefined' ? literalOf(null) : { kind: 'name', name: node.name };
    case 'MemberExpression': {
      const { object, property, computed, optional } = node;
      const key = !computed && property.type === 'Identifier' ? literalOf(property.name) : syntaxOf(property);
      return { kind: 'member', of: syntaxOf(object), key, isOptional: optional && !computed };
    }
    case 'CallExpression':
      return { kind: 'call', callee: syntaxOf(node.callee), args: node.arguments.map(syntaxOf) };
    case 'NewExpression': {
      if (node.callee.type !== 'Identifier') throw unread(node);
      const callee: Syntax = { kind: 'name', name: `new ${node.callee.name}` };
      return { kind: 'call', callee, args: node.arguments.map(syntaxOf) };
    }
    case 'UnaryExpression':
      if (node.operator !== '!' && node.operator !== '-') throw unread(node);
      return { kind: node.operator === '!' ? 'not' : 'minus', of: syntaxOf(node.argument) };
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const { operator, left, right } = node;
      if (!operators.has(operator)) throw new UnmappedError(`"${operator}" has no counterpart`);
      return { kind: 'binary', operator, left: syntaxOf(left), right: syntaxOf(right) };
    }
    case 'ConditionalExpression': {
      const [when, holds, otherwise] = [node.test, node.consequent, node.alternate].map(syntaxOf) as [
        Syntax,
        Syntax,
        Syntax,
      ];
      return { kind: 'choice', when, holds, otherwise };
    }
    case 'ArrayExpression':
      return { kind: 'list', items: node.elements.map((one) => (one === null ? literalOf(null) : syntaxOf(one))) };
    case 'ObjectExpression':
      return { kind: 'map', entries: node.properties.map(entryOf) };
    case 'TemplateLiteral': {
      const texts = node.quasis.map(({ value }) => literalOf(value.cooked ?? value.raw));
      const parts = texts.flatMap((text, i) => [text, ...node.expressions.slice(i, i + 1).map(syntaxOf)]);
      return { kind: 'text', parts: parts.filter((one) => one.kind !== 'literal' || one.value !== '') };
    }
    case 'ArrowFunctionExpression': {
      const [parameter] = node.params;
      if (parameter?.type !== 'Identifier' || node.params.length > 1) throw unread(node);
      return { kind: 'arrow', parameter: parameter.name, body: syntaxOf(node.body) };
    }
    default:
      throw unread(node);
  }
}

function entryOf(entry: Property | SpreadElement): readonly [string, Syntax] {
  if (entry.type === 'SpreadElement' || entry.kind !== 'init') throw unread(entry);
  const { key, value, computed } = entry;
  if (key.type === 'Literal') return [String(key.value), syntaxOf(value)];
  if (computed || key.type !== 'Identifier') throw new UnmappedError('a key of a map is computed');
  return [key.name, syntaxOf(value)];
}

/** `ArrowFunctionExpression`: "arrow function expression". */
const unread = ({ type }: AnyNode): UnmappedError =>
  new UnmappedError(`its ${type.replaceAll(/(?!^)[A-Z]/g, ' $&').toLowerCase()} is not read`);
