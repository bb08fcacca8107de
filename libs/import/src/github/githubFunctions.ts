/** The functions of the expressions of GitHub Actions as CEL. */

/** A literal text in lower case; anything else in `lower(…)`. GitHub searches without regard to case. */
const lowered = (cel: string): string => {
  const text = literalIn(cel);
  return text === undefined ? `lower(${cel})` : JSON.stringify(text.toLowerCase());
};

function literalIn(cel: string): string | undefined {
  return /^"(?:[^"\\]|\\.)*"$/.test(cel) ? (JSON.parse(cel) as string) : undefined;
}

function searched(name: string, text: string, part: string): string {
  const literal = literalIn(part);
  const hasCase = literal === undefined || literal.toLowerCase() !== literal.toUpperCase();
  return hasCase ? `${name}(${lowered(text)}, ${lowered(part)})` : `${name}(${text}, ${part})`;
}

/** `isLate`: in a `finally`, which can read `error`. Undefined: GitHub has no such function, or Baton has not. */
export function githubCall(name: string, args: readonly string[], isLate: boolean): string | undefined {
  const [first = '""', second = '""', ...rest] = args;
  switch (name.toLowerCase()) {
    case 'contains':
      return /^\[|^fromJson\(|\.map\(/.test(first) ? `${second} in ${first}` : searched('contains', first, second);
    case 'startswith':
      return searched('startsWith', first, second);
    case 'endswith':
      return searched('endsWith', first, second);
    case 'join':
      return args.length === 1 ? `join(${first}, ",")` : `join(${first}, ${second})`;
    case 'tojson':
      return `json(${first})`;
    case 'fromjson':
      return `fromJson(${first})`;
    case 'format':
      return formatted(first, args.length < 2 ? [] : [second, ...rest]);
    case 'always':
      return 'true';
    case 'success':
      return isLate ? 'error == null' : 'true';
    case 'failure':
      // Not of a run that was cancelled, whose `error` says so.
      return 'error.?code.orValue("cancelled") != "cancelled"';
    case 'cancelled':
      return 'error.?code.orValue("") == "cancelled"';
    default:
      return undefined;
  }
}

const braces: Readonly<Record<string, string>> = { '{{': '{', '}}': '}' };

/** `format('a {0} {{b}}', x)`, with a literal text. */
function formatted(text: string, values: readonly string[]): string | undefined {
  const literal = literalIn(text);
  if (literal === undefined) return undefined;
  const parts = literal.split(/(\{\{|\}\}|\{\d+\})/).map((part) => {
    const [, place] = /^\{(\d+)\}$/.exec(part) ?? [];
    return place === undefined ? JSON.stringify(braces[part] ?? part) : `string(${values[Number(place)] ?? '""'})`;
  });
  return parts.filter((part) => part !== '""').join(' + ') || '""';
}
