/**
 * The address of a Postgres in every form that libpq takes: a URL, also with several hosts or a Unix socket, and words such
 * as `host=db dbname=baton`. All become one form, which every parser of URLs reads: a URL of one host, with `host` and
 * `port` as parameters where there are several hosts or a socket.
 */
import { hostList, urlFault } from '@baton/primitives';

const protocols = ['postgres:', 'postgresql:'];

/** What Baton passes on to its connections. */
const knownWords = new Set([
  'host',
  'port',
  'dbname',
  'user',
  'password',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'sslnegotiation',
  'channel_binding',
  'target_session_attrs',
  'application_name',
  'connect_timeout',
  'options',
]);

/** Baton writes: it has no use for a standby. */
const targets = new Set(['any', 'read-write', 'primary']);

type ReadUrl = { readonly url: string } | { readonly found: string };

/** `found`: what the text is instead, without any part of it that may be a password. */
export function readDatabaseUrl(text: string): ReadUrl {
  if (/^[a-z_]+\s*=/i.test(text)) return ofWords(text);
  const listed = hostList(text);
  const [first = ''] = listed?.hosts ?? [];
  // A socket, or an address that is completed by PGHOST.
  const isHostless = listed?.hosts.length === 1 && (first === '' || /^%2f/i.test(first));
  const written = isHostless ? listed.withHost('localhost') : text;
  const fault = urlFault(written, protocols, { mayList: true });
  if (fault !== undefined) return { found: fault };
  const url = new URL(listed?.withHost(isHostless ? 'localhost' : first) ?? text);
  if (isHostless && first !== '') url.searchParams.set('host', decodeURIComponent(first));
  if (isHostless && first === '' && !url.searchParams.has('host')) url.searchParams.set('host', '');
  if (listed !== undefined && listed.hosts.length > 1) setHosts(url, listed.hosts);
  return checked(url, text);
}

/** `text`: the address as it was written, which is kept where it says the same. */
function checked(url: URL, text?: string): ReadUrl {
  const target = url.searchParams.get('target_session_attrs') ?? 'any';
  if (!targets.has(target)) return { found: `target_session_attrs other than ${[...targets].join(', ')}` };
  const { searchParams } = url;
  const hosts = searchParams.get('host')?.split(',') ?? [];
  const ports = searchParams.get('port')?.split(',') ?? [];
  if (ports.length > 1 && ports.length !== Math.max(hosts.length, 1))
    return { found: 'more or fewer ports than hosts' };
  if (ports.some((port) => !/^\d{0,5}$/.test(port))) return { found: 'a port that is no number' };
  const [host = ''] = hosts;
  if (hosts.length === 1 && host !== '' && !host.startsWith('/')) {
    url.hostname = host.includes(':') ? `[${host}]` : host;
    if (ports.length === 1) url.port = ports[0] ?? '';
    for (const name of ['host', 'port']) searchParams.delete(name);
  }
  return { url: text !== undefined && hosts.length === 0 ? text : url.href };
}

function setHosts(url: URL, hosts: readonly string[]): void {
  const found = hosts.map((host) => new URL(`postgres://${host}`));
  url.searchParams.set('host', found.map(({ hostname }) => hostname.replaceAll(/^\[|\]$/g, '')).join(','));
  url.searchParams.set('port', found.map(({ port }) => port).join(','));
}

const word = /\s*(?<name>\w+)\s*=\s*(?:'(?<quoted>(?:[^'\\]|\\.)*)'|(?<plain>(?:[^\s'\\]|\\.)*))(?=\s|$)/sy;

function ofWords(text: string): ReadUrl {
  const words = new Map<string, string>();
  word.lastIndex = 0;
  while (text.slice(word.lastIndex).trim() !== '') {
    const { name, quoted, plain = '' } = word.exec(text)?.groups ?? {};
    if (name === undefined) return { found: 'words with a text between them, or a quote that does not end' };
    if (!knownWords.has(name))
      return { found: `words, one of which Baton does not know: expected ${[...knownWords].join(', ')}` };
    words.set(name, (quoted ?? plain).replaceAll(/\\(.)/gs, '$1'));
  }
  const { host = '', port = '', dbname = '', user = '', password = '', ...more } = Object.fromEntries(words);
  const url = new URL('postgres://localhost');
  [url.username, url.password] = [encodeURIComponent(user), encodeURIComponent(password)];
  if (dbname !== '') url.pathname = `/${encodeURIComponent(dbname)}`;
  for (const [name, value] of Object.entries(more)) url.searchParams.set(name, value);
  url.searchParams.set('host', host);
  if (port !== '') url.searchParams.set('port', port);
  return checked(url);
}

type Variables = Readonly<Record<string, string | undefined>>;

/** The variables of libpq, for what an address leaves out. */
const parametersByVariable = [
  ['PGSSLMODE', 'sslmode'],
  ['PGSSLROOTCERT', 'sslrootcert'],
  ['PGSSLCERT', 'sslcert'],
  ['PGSSLKEY', 'sslkey'],
  ['PGTARGETSESSIONATTRS', 'target_session_attrs'],
  ['PGOPTIONS', 'options'],
] as const;

/**
 * An address of `readDatabaseUrl` with what it leaves out: from the variables of libpq, then its defaults. `schema`: the one
 * that Baton uses in the database.
 */
export function completeDatabaseUrl(text: string, variables: Variables, schema: string): string {
  const url = new URL(text);
  const before = url.href;
  const { searchParams } = url;
  const isHostless = searchParams.get('host') === '';
  const fill = (name: string, value: string | undefined): void => {
    if (value !== undefined && value !== '' && (searchParams.get(name) ?? '') === '') searchParams.set(name, value);
  };
  if (isHostless) {
    fill('host', variables['PGHOST']);
    if (url.port === '') fill('port', variables['PGPORT']);
  }
  if (searchParams.get('host') === '') searchParams.delete('host');
  const given = (name: string): string => encodeURIComponent(variables[name] ?? '');
  if (url.username === '' && !searchParams.has('user')) url.username = given('PGUSER');
  if (url.password === '' && !searchParams.has('password')) url.password = given('PGPASSWORD');
  if (url.pathname.length < 2 && given('PGDATABASE') !== '') url.pathname = `/${given('PGDATABASE')}`;
  for (const [variable, name] of parametersByVariable) fill(name, variables[variable]);
  if (schema !== usualSchema) fill('schema', schema);
  return verifying(url.href === before ? text : url.href);
}

/** Of a database whose only user is Baton. */
export const usualSchema = 'public';

/**
 * `sslmode` as `pg` takes it today, in words of its own: it verifies the certificate for each of these modes, warns of
 * them, and means to verify less from its next major version on. A URL with `uselibpqcompat` asks for that already.
 */
const verifying = (url: string): string =>
  url.includes('uselibpqcompat=')
    ? url
    : url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=[&#]|$)/, '$1verify-full');
