/** Reads which accounts listen at a port of this machine. */
import { readFile } from 'node:fs/promises';

const tables = ['/proc/net/tcp', '/proc/net/tcp6'];

/** The state of a socket that listens, in these tables. */
const listening = '0A';

/**
 * The user ids of all processes that listen at a TCP port, on any address of this machine; undefined where the system
 * has no such table: Linux has.
 */
export async function accountsAt(port: number): Promise<ReadonlySet<number> | undefined> {
  const texts = await Promise.all(tables.map((table) => readFile(table, 'utf8').catch(() => undefined)));
  const found = texts.filter((text) => text !== undefined);
  return found.length === 0 ? undefined : new Set(found.flatMap((text) => accountsIn(text, port)));
}

/** Exported for the test. `table`: as in proc(5): address and port in hexadecimal, the state, and later the account. */
export function accountsIn(table: string, port: number): number[] {
  return table.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , account] = line.trim().split(/\s+/);
    const isThere = state === listening && Number.parseInt(local.split(':')[1] ?? '', 16) === port;
    return isThere ? [Number(account)] : [];
  });
}
