/**
 * What the address of a database says besides what `pg` reads of it: several hosts, and the schema. It is a URL of one
 * host; `host` and `port` in its parameters, with commas between, are those of several (`completeDatabaseUrl` of libs/boot).
 */

export interface Host {
  readonly host: string;
  readonly port: number;
}

export interface DatabaseAddress {
  /** For `pg`: of one host. */
  readonly url: string;
  /** Where there is a choice; else empty. */
  readonly hosts: readonly Host[];
  readonly schema: string;
  /** Of the queue's tables, which stand beside Baton's where those have a schema of their own. */
  readonly queueSchema: string;
}

const usualPort = 5_432;

export function readDatabaseAddress(text: string): DatabaseAddress {
  const url = URL.parse(text);
  const schema = url?.searchParams.get('schema') ?? 'public';
  const schemas = { schema, queueSchema: schema === 'public' ? 'baton_queue' : schema };
  if (url === null) return { url: text, hosts: [], ...schemas };
  const { searchParams } = url;
  const names = searchParams.get('host')?.split(',') ?? [];
  if (names.length < 2) return { url: text, hosts: [], ...schemas };
  const ports = searchParams.get('port')?.split(',') ?? [url.port];
  const portAt = (at: number): number => Number(ports[ports.length === 1 ? 0 : at]) || usualPort;
  const hosts = names.map((host, at) => ({ host, port: portAt(at) }));
  for (const name of ['host', 'port']) searchParams.delete(name);
  return { url: url.href, hosts, ...schemas };
}
