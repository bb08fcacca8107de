/**
 * Numbers of JSON whose whole part JavaScript cannot hold (RFC 8259 section 6 leaves them to the reader), as texts:
 * `1152921504606846977` would become another number, and so another record's id, and `1e400` none at all. They are
 * returned digit for digit as `"1152921504606846977"`; where a schema requires a number, validation reports it.
 */

/** A quick test: most messages contain no such number. */
const suspicious = /\d{16}|\d[eE]\+?\d{3}/;
const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Of values nested more deeply, the text is searched. */
const depthMax = 200;

/**
 * The value of JSON text. Throws `SyntaxError`. Numbers are looked for in the value and not in its text, which may be
 * megabytes that hold none.
 */
export function parseExactly(json: string): unknown {
  const value: unknown = JSON.parse(json);
  return mayHaveRounded(value, 0) ? JSON.parse(exactNumbers(json)) : value;
}

function mayHaveRounded(value: unknown, depth: number): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER;
  if (typeof value !== 'object' || value === null) return false;
  if (depth > depthMax) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (mayHaveRounded(item, depth + 1)) return true;
    return false;
  }
  for (const key in value) if (mayHaveRounded(value[key as keyof typeof value], depth + 1)) return true;
  return false;
}

/** `json`: the text of one JSON value, or of one line of it. Texts within it are left as they are. */
export function exactNumbers(json: string): string {
  if (!suspicious.test(json)) return json;
  const parts: string[] = [];
  let at = 0;
  while (at < json.length) {
    const open = json.indexOf('"', at);
    const end = open < 0 ? json.length : open;
    parts.push(json.slice(at, end).replace(number, exact));
    if (open < 0) break;
    const after = endOfText(json, open);
    parts.push(json.slice(open, after));
    at = after;
  }
  return parts.join('');
}

function exact(written: string): string {
  const value = Number(written);
  return isKept(written, value) ? written : `"${written}"`;
}

function isKept(written: string, value: number): boolean {
  if (/^-?\d+$/.test(written)) return String(value) === written || written === '-0';
  return Number.isFinite(value) && isDecimalKept(written);
}

/**
 * Whether the part before the point of a number with a fraction is kept; true of all other numbers. Further places than
 * a number has are the noise of the program that wrote them, and count as kept.
 */
export function isDecimalKept(written: string): boolean {
  const [, whole, fraction = ''] = /^([+-]?\d+)\.(\d*)$/.exec(written) ?? [];
  const value = Number(written);
  if (whole === undefined || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return true;
  return Number.isFinite(value) && BigInt(whole.replace('+', '')) === BigInt(value) && /^0*$/.test(fraction);
}

/** Where the text that opens here has ended. */
function endOfText(json: string, open: number): number {
  for (let at = json.indexOf('"', open + 1); at >= 0; at = json.indexOf('"', at + 1)) {
    let slashes = 0;
    while (json[at - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  return json.length;
}
