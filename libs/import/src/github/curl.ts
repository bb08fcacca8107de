/**
 * Reads a `run` that is one `curl`, and nothing else: no pipe, no file, no variable of the shell. Everything that is not
 * understood for certain stays a command.
 */
import { type HttpToolName, httpToolOf, isReading } from '../httpTool.ts';

export interface CurlRequest {
  readonly tool: HttpToolName;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** As text. */
  readonly body: string | undefined;
  /** `--fail`: a status of 400 and above is a failure. */
  readonly fails: boolean;
}

/** Options that say nothing about the request, or what the tool does anyway. */
const quiet = /^(?:-(?:[sSL]+)|--silent|--show-error|--location|--no-progress-meter|--compressed)$/;
/** `-f` as well, also in one word with others. */
const failing = /^(?:--fail|--fail-with-body)$/;

/** Undefined: it is no such command. */
export function curlIn(run: string): CurlRequest | undefined {
  const words = wordsIn(run.trim().replace(/\\\r?\n/g, ' '));
  if (words?.[0] !== 'curl') return undefined;
  const found = { headers: {} as Record<string, string>, url: '', method: '', data: [] as string[], fails: false };
  const rest = words.slice(1).flatMap(unbundled);
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] ?? '';
    if (quiet.test(word)) continue;
    if (word === '-f' || failing.test(word)) found.fails = true;
    else if (word === '-I' || word === '--head') found.method = 'HEAD';
    else if (word.startsWith('-')) {
      const value = rest[++at];
      if (value === undefined || !taken(found, word, value)) return undefined;
    } else if (found.url === '') found.url = word;
    else return undefined;
  }
  return requestOf(found);
}

interface Found {
  readonly headers: Record<string, string>;
  readonly data: string[];
  url: string;
  method: string;
  fails: boolean;
}

/** False: the option is not known. */
function taken(found: Found, option: string, value: string): boolean {
  switch (option) {
    case '-X':
    case '--request':
      found.method = value;
      return true;
    case '--url':
      found.url = value;
      return true;
    case '-H':
    case '--header': {
      const [, name, text] = /^([\w-]+):\s*(.+)$/s.exec(value) ?? [];
      if (name === undefined || text === undefined) return false;
      found.headers[name.toLowerCase()] = text;
      return true;
    }
    case '--json':
      found.headers['content-type'] ??= 'application/json';
      found.headers['accept'] ??= 'application/json';
      found.data.push(value);
      return !value.startsWith('@');
    case '-d':
    case '--data':
    case '--data-raw':
      found.headers['content-type'] ??= 'application/x-www-form-urlencoded';
      found.data.push(value);
      return option === '--data-raw' || !value.startsWith('@');
    default:
      return false;
  }
}

function requestOf({ url, method, headers, data, fails }: Found): CurlRequest | undefined {
  const body = data.length === 0 ? undefined : data.join('&');
  const usual = body === undefined ? 'GET' : 'POST';
  const tool = httpToolOf(method === '' ? usual : method);
  if (tool === undefined || !/^https?:\/\//i.test(url) || (body !== undefined && isReading(tool))) return undefined;
  return { tool, url, headers, body, fails };
}

/** `-sSf` and `-XPOST` as curl reads them. */
function unbundled(word: string): string[] {
  const [, flags, last] = /^-([sSLfI]+)([XHd].*)?$/.exec(word) ?? [];
  if (flags !== undefined && word.length > 2)
    return [...flags.split('').map((flag) => `-${flag}`), ...(last === undefined ? [] : unbundled(`-${last}`))];
  const [, option, value] = /^(-[XHd])(.+)$/s.exec(word) ?? [];
  return option === undefined || value === undefined ? [word] : [option, value];
}

/** What the shell would read; expressions `${{ … }}` stay as they are. Undefined: the shell would do more. */
function wordsIn(text: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < text.length;) {
    const rest = text.slice(at);
    const piece = pieceOf(rest);
    if (piece === undefined) return undefined;
    if (piece.value === undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + piece.value;
    at += piece.length;
  }
  return word === undefined ? words : [...words, word];
}

const expression = String.raw`\$\{\{(?:[^}]|\}(?!\}))*\}\}`;
const single = /^'([^']*)'/;
const double = new RegExp(String.raw`^"((?:${expression}|\\["\\$\x60]|[^"\\$\x60])*)"`);
const bare = new RegExp(String.raw`^(?:${expression}|[\w@%+=:,./?&~-])`);

function pieceOf(rest: string): { readonly value: string | undefined; readonly length: number } | undefined {
  const [blank] = /^[ \t]+/.exec(rest) ?? [];
  if (blank !== undefined) return { value: undefined, length: blank.length };
  const quoted = single.exec(rest);
  if (quoted !== null) return { value: quoted[1] ?? '', length: quoted[0].length };
  const escaped = double.exec(rest);
  if (escaped !== null) return { value: (escaped[1] ?? '').replace(/\\(["\\$`])/g, '$1'), length: escaped[0].length };
  const [plain] = bare.exec(rest) ?? [];
  // Beyond a quote, these are the shell's.
  if (plain === undefined || plain === '&' || plain === '~') return undefined;
  return { value: plain, length: plain.length };
}
