/** Faults of a Postgres, of a pooler before it and of the network that an operator can correct. The first that fits counts. */

interface StartFault {
  /** Of the system, of TLS, or a SQLSTATE. */
  readonly codes?: RegExp;
  /** Of an error without a code, or with one that says less. In English: a pooler's, Node's and the driver's. */
  readonly words?: RegExp;
  readonly kind: 'misused' | 'unavailable';
  /** In place of the message. */
  readonly why?: string;
  /** Absent: whether it is there, and whether the setting is right. */
  readonly advice?: (setting: string) => string;
}

const sessionPooling = (setting: string): string =>
  setting === 'DATABASE_URL'
    ? 'Let it pool sessions (pool_mode = session in PgBouncer), or let it pool transactions and name the way around it in BATON_DIRECT_URL.'
    : `Let ${setting} go around it.`;

export const startFaults: readonly StartFault[] = [
  {
    words: /unsupported startup parameter/,
    kind: 'misused',
    advice: () => 'Let the pooler ignore it (ignore_startup_parameters in PgBouncer), or set REDIS_URL.',
  },
  {
    words: /statement pooling mode|prepared statement ".*" (?:already exists|does not exist)/,
    kind: 'misused',
    why: 'a pooler before it gives statements of one session to several connections',
    advice: sessionPooling,
  },
  { codes: /^0A000$/, kind: 'misused', advice: sessionPooling },
  {
    codes: /^(?:DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|CERT_|ERR_TLS)/,
    kind: 'misused',
    advice: (setting) =>
      `Name the authority of its certificate with sslrootcert=FILE in ${setting}, or in NODE_EXTRA_CA_CERTS.`,
  },
  {
    words: /does not support SSL connections/,
    kind: 'misused',
    advice: (setting) => `Remove sslmode from ${setting}, or let the server encrypt.`,
  },
  {
    words: /client password must be a string/,
    kind: 'misused',
    why: 'it asks for a password, and the address has none',
    advice: (setting) => `Is ${setting} right?`,
  },
  { codes: /^28/, kind: 'misused', advice: (setting) => `Are the user and the password in ${setting} right?` },
  {
    codes: /^(?:3D000|22021|E(?:ACCES|NOENT|PROTO)|ERR_SSL_)/,
    kind: 'misused',
    advice: (setting) => `Is ${setting} right?`,
  },
  {
    codes: /^42501$/,
    kind: 'misused',
    advice: () => 'Let the role own the database or the schema, or run `baton migrate --for ROLE` as a role that does.',
  },
  {
    codes: /^25006$/,
    kind: 'unavailable',
    advice: () => 'It is a standby that was not promoted, or default_transaction_read_only is on.',
  },
  { codes: /^53/, kind: 'unavailable', advice: () => 'It is full, or has no connection left.' },
  { codes: /^(?:08|57P0|55P03)/, kind: 'unavailable' },
  { codes: /^E(?:CONN|HOST|NET|PIPE|TIMEDOUT|NOTFOUND|AI_)/, kind: 'unavailable' },
  {
    words: /^timeout expired$/,
    kind: 'unavailable',
    why: 'nothing there answered as Postgres does (a firewall may be between)',
  },
  { words: /timeout|terminated|cannot be asked now/i, kind: 'unavailable' },
];
