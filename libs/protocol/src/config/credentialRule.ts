/**
 * Decides which texts of a configuration are credentials: people paste published configurations with credentials in
 * clear text.
 *
 * By its name: a value is a credential if its name contains a word such as key, token, secret or password, unless the
 * name ends in a word that makes it harmless (`…_URL`, `…_FILE`, `…_ID`, `MAX_…`). By its form, under any name: a
 * password within a URL, and text that looks random. Numbers, paths, hosts, addresses and plain words are no
 * credentials (docs/secrets.md).
 */

/** Shorter ones would blank out ordinary text. */
const charactersMin = 6;
const randomCharactersMin = 16;

const credentialWord =
  /^\w*(?:key|token|secret|passw(?:or)?d|passphrase|pwd|credential|auth|authorization|bearer|cookie|jwt|pat|pass|signature|dsn)s?$/;
/** A name that begins or ends like this is about a credential, and holds none. */
const aboutFirst = /^(?:max|min|num|enable|disable|use|no|allow|is|has|skip)$/;
const aboutLast =
  /^(?:ids?|names?|ur[li]s?|paths?|files?|dirs?|folder|hosts?|ports?|types?|mode|method|limits?|size|ttl|timeout|expiry|expires|count|headers?|prefix|version|region|scopes?|audience|algorithm|enabled|required|issuer|server|budget|format)$/;

export function isCredentialName(name: string): boolean {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');
  if (aboutFirst.test(words.at(0) ?? '') || aboutLast.test(words.at(-1) ?? '')) return false;
  return words.some((word) => credentialWord.test(word));
}

/** How tokens of well-known issuers begin. */
const issued =
  /^(?:sk|pk|rk|ghp|gho|ghu|ghs|github_pat|glpat|xox[abeprs]|tvly|AKIA|ASIA|AIza|ya29|eyJ|npm|pypi|hf|shpat|SG|lin_api|ntn|secret|whsec|dop_v1|figd|sbp|fc|pplx|gsk|r8|key|token)[_.-]?[\w.-]{8,}$/;
const flag = /^(?:true|false|yes|no|on|off|null|none|default)$/i;
const numeral = /^[\d\s.,:+/TZ-]*$/;
const path = /^(?:~|\.{1,2}|[A-Za-z]:)?[\\/]/;
const host = /^(?:[a-z\d-]+(?:\.[a-z\d-]+)+(?::\d+)?|[a-z][a-z-]*:\d+)$/i;
const mail = /^[^\s@]+@[^\s@]+\.[a-z]+$/i;
/** A word, a number, a word with a number: `us-east-1`, `en_US.UTF-8`, `gpt-4o-mini`, `@scope/package`. */
const plainPiece = /^(?:[A-Za-z]{1,24}\d{0,4}[a-z]?|\d+[a-z]{0,2})$/;
const between = /[\s._/:@,;=+*|()'"-]+/;

const isWords = (text: string): boolean =>
  text.split(between).every((piece) => piece === '' || (plainPiece.test(piece) && !isMixed(piece)));

/** Mixed small and capital letters, as in no word. */
const isMixed = (piece: string): boolean => (piece.match(/[a-z][A-Z]/g) ?? []).length > 2;

const isSegmented = (text: string): boolean => text.split(/[\\/]/).every((segment) => !isRandom(segment));

/** A text whose form shows that it is public. */
function isPublic(text: string): boolean {
  if (issued.test(text)) return false;
  if (flag.test(text) || numeral.test(text) || mail.test(text) || isWords(text)) return true;
  return (path.test(text) || host.test(text)) && isSegmented(text.replaceAll('.', '/'));
}

/** Long, and neither words nor numbers. */
const isRandom = (text: string): boolean =>
  issued.test(text) ||
  (text.length >= randomCharactersMin && /^[\w.~+=%-]+$/.test(text) && !numeral.test(text) && !isWords(text));

const longEnough = (values: readonly string[]): readonly string[] =>
  values.filter(({ length }) => length >= charactersMin);

/** The parts of a named value that are credentials. */
export function credentialsIn(name: string, value: string): readonly string[] {
  const text = value.trim();
  const json = jsonIn(text);
  if (json !== undefined) return leavesOf(name, json);
  if (isAddress(text)) return credentialsInUrl(text);
  if (isCredentialName(name)) return flag.test(text) || isPathOf(text) ? [] : longEnough(withoutScheme(text));
  const [scheme, ...rest] = withoutScheme(text);
  if (rest.length > 0 || scheme !== text) return longEnough(withoutScheme(text));
  return text.length >= 8 && !isPublic(text) ? [text] : [];
}

/** By its name a credential, and too short to be removed from other text. */
export const isShortCredential = (name: string, value: string): boolean =>
  isCredentialName(name) && /^\S{1,5}$/.test(value.trim()) && !flag.test(value.trim());

const placed = /^(?:~|\.{1,2}|[A-Za-z]:|\/(?:home|etc|usr|var|tmp|opt|root|Users|run|mnt|srv))[\\/]/;
const isPathOf = (text: string): boolean => placed.test(text);

/** `Bearer …` is the credential alone; `Basic …` also the password in it. */
function withoutScheme(text: string): readonly string[] {
  const [, scheme = '', rest = ''] = /^(bearer|basic|token|apikey)\s+(\S+)$/i.exec(text) ?? [];
  // Without what follows it, which was a reference.
  if (rest === '') return /^(?:bearer|basic|token|apikey)$/i.test(text) ? [] : [text];
  if (scheme.toLowerCase() !== 'basic') return [rest];
  const decoded = Buffer.from(rest, 'base64').toString('utf8');
  return [rest, decoded, decoded.slice(decoded.indexOf(':') + 1)];
}

const isAddress = (text: string): boolean => /^[a-z][a-z\d+.-]*:\/\//i.test(text);
const userInfo = /:\/\/[^\s:@/]*:([^\s@/]+)@/;

/** A password, values of the query, and parts of the path that look random. */
export function credentialsInUrl(text: string): readonly string[] {
  const [, password] = userInfo.exec(text) ?? [];
  const passwords = password === undefined ? [] : [...new Set([password, decoded(password)])];
  if (!URL.canParse(text)) return longEnough(passwords);
  const { pathname, searchParams, hash } = new URL(text);
  const asked = [...searchParams].filter(([name, value]) => isCredentialName(name) || isRandom(value));
  const pieces = [...pathname.split('/'), hash.slice(1)].filter(isRandom);
  return longEnough([...passwords, ...asked.map(([, value]) => value), ...pieces]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Some servers take their headers as JSON in a variable. */
function jsonIn(text: string): unknown {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function leavesOf(name: string, json: unknown): readonly string[] {
  if (typeof json === 'string') return json.startsWith('{') ? [] : credentialsIn(name, json);
  if (typeof json !== 'object' || json === null) return [];
  return Object.entries(json).flatMap(([key, value]) => leavesOf(Array.isArray(json) ? name : key, value));
}

/**
 * Of a command line: `--api-key=…`, `--api-key …`, `-e NAME=…`, `--header "Name: …"`, a URL, or text that looks like a
 * token.
 */
export function credentialsInArguments(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, index) => {
    const [, name, value = ''] = /^-{0,2}([A-Za-z][\w.-]*)(?:=|:\s+)(.+)$/s.exec(arg) ?? [];
    if (name !== undefined && !isAddress(arg)) return credentialsIn(name, value);
    if (isAddress(arg)) return credentialsInUrl(arg);
    const before = args[index - 1] ?? '';
    const option = /^-{1,2}[A-Za-z][\w-]*$/.test(before) && !arg.startsWith('-') ? before : '';
    if (isCredentialName(option)) return credentialsIn(option, arg);
    return isRandom(arg) ? [arg] : [];
  });
}
