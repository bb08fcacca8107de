/**
 * Which of several hosts takes writes. All are asked at once, and the first in the order of the address counts, so that
 * processes agree where two do. The answer is kept while its connections can be opened, and are no standby's.
 */
import { type ClientConfig, Client } from 'pg';

import type { Host } from './databaseAddress.ts';

/** Of one host: below the five seconds that a pool waits for a connection. */
const patienceMs = 3_000;

const isPrimary = `select not (pg_is_in_recovery() or current_setting('transaction_read_only')::bool) as "takesWrites"`;

type Found = { readonly host: Host } | { readonly fault: string };

export class PrimaryHost {
  #found: Promise<Host> | undefined;

  /** Rejects with a sentence about each host where none takes writes. Calls at the same time share an answer. */
  find(hosts: readonly Host[], config: ClientConfig): Promise<Host> {
    if (this.#found !== undefined) return this.#found;
    const finding = findPrimary(hosts, config);
    this.#found = finding;
    finding.catch(() => this.forget());
    return finding;
  }

  /** A connection to the host failed: the next one asks all again. */
  forget(): void {
    this.#found = undefined;
  }
}

async function findPrimary(hosts: readonly Host[], config: ClientConfig): Promise<Host> {
  const asked = hosts.map((host) => ask(host, config));
  const faults: string[] = [];
  for (const answer of asked) {
    const one = await answer;
    if ('host' in one) return one.host;
    faults.push(one.fault);
  }
  // 25006: read_only_sql_transaction.
  throw Object.assign(new Error(`none of its hosts takes writes: ${faults.join('; ')}`), { code: '25006' });
}

async function ask(host: Host, config: ClientConfig): Promise<Found> {
  const client = new Client({ ...config, connectionTimeoutMillis: patienceMs, query_timeout: patienceMs });
  client.on('error', () => undefined);
  Object.assign(client, host);
  try {
    await client.connect();
    const { rows } = await client.query<{ takesWrites: boolean }>(isPrimary);
    if (rows[0]?.takesWrites === true) return { host };
    return { fault: `${host.host}:${host.port} is a standby, or read-only` };
  } catch (error) {
    return { fault: `${host.host}:${host.port}: ${error instanceof Error ? error.message : String(error)}` };
  } finally {
    // A host that gives no answer keeps no caller waiting.
    client.end().catch(() => undefined);
  }
}
