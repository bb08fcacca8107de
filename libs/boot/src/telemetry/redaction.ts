/** What must never appear in a log: fields by their names, and values by their form. */

const secretNames = [
  'authorization',
  'cookie',
  'set-cookie',
  'password',
  'secret',
  'secrets',
  'token',
  'apiKey',
  'adminKey',
  'secretKey',
  'x-api-key',
] as const;

const quotedName = (name: string): string => (/^\w+$/.test(name) ? name : `["${name}"]`);

/** For pino: at the top, one and two levels down. */
export const redactedPaths: readonly string[] = secretNames.flatMap((name) => {
  const last = quotedName(name);
  const below = last.startsWith('[') ? last : `.${last}`;
  return [last, `*${below}`, `*.*${below}`];
});

export const censor = '[redacted]';

const looks: readonly (readonly [RegExp, string])[] = [
  [/(\b[a-z][a-z0-9+.-]*:\/\/[^\s:@/"\\]{0,256}:)[^\s@/"\\]{1,512}@/gi, `$1${censor}@`],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${censor}`],
];

/** In text that may hold anything: passwords in URLs, and credentials in headers. */
export function redactText(text: string): string {
  let result = text;
  for (const [look, instead] of looks) result = result.replace(look, instead);
  return result;
}
