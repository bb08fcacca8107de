/** Finds where a text stops being JSON (RFC 8259), because the parser of the engine does not always say. */

const space = /[ \t\n\r]*/y;
const scalar =
  // oxlint-disable-next-line no-control-regex
  /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\u0000-\u001f]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** The tokens that may come next. */
type ExpectedToken = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma or end' | 'nothing';

/** Offset of the first invalid character; the length of the text if it is cut off. */
export function stopsAt(text: string): number {
  const open: ('{' | '[')[] = [];
  let next: ExpectedToken = 'value';
  for (let at = skip(space, text, 0); at < text.length; at = skip(space, text, at)) {
    const character = text[at] ?? '';
    const follows: ExpectedToken | undefined =
      afterPunctuation(character, next, open) ?? afterScalar(character, next, open.length);
    if (follows === undefined) return at;
    const end = '{}[]:,'.includes(character) ? at + 1 : skip(scalar, text, at);
    if (end === at) return at;
    next = follows;
    at = end;
  }
  return text.length;
}

const afterValue = (depth: number): ExpectedToken => (depth === 0 ? 'nothing' : 'comma or end');

function afterPunctuation(character: string, next: ExpectedToken, open: ('{' | '[')[]): ExpectedToken | undefined {
  const isValueNext = next === 'value' || next === 'value or ]';
  if (character === '{' && isValueNext) return opened(open, '{', 'key or }');
  if (character === '[' && isValueNext) return opened(open, '[', 'value or ]');
  if (character === ':' && next === 'colon') return 'value';
  const inside = open.at(-1);
  if (character === ',' && next === 'comma or end') return inside === '{' ? 'key' : 'value';
  const mayEnd = next === 'comma or end' || next === 'value or ]' || next === 'key or }';
  if (!mayEnd || character !== (inside === '{' ? '}' : ']')) return undefined;
  open.pop();
  return afterValue(open.length);
}

function opened(open: ('{' | '[')[], bracket: '{' | '[', next: ExpectedToken): ExpectedToken {
  open.push(bracket);
  return next;
}

function afterScalar(character: string, next: ExpectedToken, depth: number): ExpectedToken | undefined {
  if ('{}[]:,'.includes(character)) return undefined;
  if (next === 'key' || next === 'key or }') return character === '"' ? 'colon' : undefined;
  return next === 'value' || next === 'value or ]' ? afterValue(depth) : undefined;
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
