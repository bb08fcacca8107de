/**
 * The settings of every session, since a database or a role may have other defaults than the server's own, and this code
 * reads and writes by these. `pg_dump` does the same.
 */

/** A setting that this version of Postgres does not know is left out. */
export const sessionSettings: Readonly<Record<string, string>> = {
  // How values are written and read.
  client_encoding: 'UTF8',
  bytea_output: 'hex',
  datestyle: 'ISO, MDY',
  intervalstyle: 'postgres',
  timezone: 'UTC',
  extra_float_digits: '1',
  array_nulls: 'on',
  xmlbinary: 'base64',
  // What a statement means.
  standard_conforming_strings: 'on',
  transform_null_equals: 'off',
  quote_all_identifiers: 'off',
  gin_fuzzy_search_limit: '0',
  check_function_bodies: 'on',
  default_tablespace: '',
  default_table_access_method: 'heap',
  // `default_transaction_read_only` stays: who sets it wants no writes, as a managed Postgres does whose disk fills.
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  exit_on_error: 'off',
  // How long a session may take. This process has time limits of its own.
  statement_timeout: '0',
  lock_timeout: '0',
  transaction_timeout: '0',
  idle_session_timeout: '0',
};

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const rows = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map((pair) => `(${pair.map(quoted).join(', ')})`)
    .join(', ');

/**
 * `wanted`: rows of a name and a value. `isLocal`: until the end of the transaction. Returns the encoding of the database,
 * and whether it is a standby.
 */
const applying = (wanted: string, isLocal = false): string => `
  select current_setting('server_encoding') as encoding, pg_is_in_recovery() as "isStandby", count(set_config(name, wanted, ${isLocal}))
  from (values ${wanted}) as w(name, wanted) where current_setting(name, true) <> wanted`;

/** A commit that does not wait for the disk would break I5. The stronger kinds stay as the operator chose them. */
const durable = `('synchronous_commit', case current_setting('synchronous_commit') when 'off' then 'on' end)`;

/**
 * The statement for a session of the store, whose tables are in `schema`. `idleMs`: Postgres ends a transaction that is idle for longer; 0: never.
 */
export const storeSession = (schema: string, idleMs: number): string => applying(ofStore(schema, idleMs));

/** The same for one transaction, since a pooler gives the next one another session. */
export const storeTransaction = (schema: string, idleMs: number): string => applying(ofStore(schema, idleMs), true);

function ofStore(schema: string, idleMs: number): string {
  const own = { search_path: schema, idle_in_transaction_session_timeout: `${idleMs}ms` };
  return `${rows({ ...sessionSettings, ...own })}, ${durable}`;
}

/** The statement for a session of the queue, which has a schema of its own, and need not wait for the disk. */
export const queueSession = applying(rows(sessionSettings));
