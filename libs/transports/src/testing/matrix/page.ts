/** For the matrix: renders it as a page. A feature without a cell does not compile. */
import type { Cell, Feature, CellUse } from './cell.ts';
import { columns, revisions, type ServerName, type MatrixWay } from './columns.ts';

type CellOf = (feature: Feature, server: Exclude<ServerName, 'device'>, way: MatrixWay) => Cell<CellUse>;

interface ColumnHead {
  readonly server: ServerName;
  readonly way: MatrixWay;
}

const ways = ['stdio', 'http', 'sse', 'plain', 'device'] as const;
const wayNames: Readonly<Record<MatrixWay, string>> = {
  stdio: 'stdio',
  http: 'Streamable HTTP',
  sse: 'HTTP+SSE',
  plain: 'plain HTTP',
  device: 'framed TCP',
};

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** Reasons, numbered in order of appearance. */
class Notes {
  readonly #notes: string[] = [];

  mark(why: string): string {
    if (!this.#notes.includes(why)) this.#notes.push(why);
    return `– ${this.#notes.indexOf(why) + 1}`;
  }

  get list(): string {
    return this.#notes.map((why, at) => `${at + 1}. ${why}`).join('\n');
  }
}

export function page(features: readonly (readonly [string, Feature])[], cellOf: CellOf): string {
  const notes = new Notes();
  const heads: readonly ColumnHead[] = (Object.keys(columns) as ServerName[]).flatMap((server) =>
    ways.filter((way) => typeof columns[server][way] !== 'string').map((way) => ({ server, way })),
  );
  const rows = features.map(([name, feature]) => {
    const shown = heads.map(({ server, way }) => {
      const cell: Cell<never> = server === 'device' ? feature.device : cellOf(feature, server, way);
      return typeof cell === 'function' ? '✓' : notes.mark(cell.why);
    });
    return row([name, ...shown]);
  });
  const pairs = (Object.keys(columns) as ServerName[]).flatMap((server) =>
    ways.flatMap((way) => {
      const column = columns[server][way];
      return typeof column === 'string' ? [row([server, wayNames[way], column])] : [];
    }),
  );
  return `# What works over what

Written by \`libs/transports/src/testing/matrix/matrix.int.test.ts\`, which runs each cell that has a ✓ against the real server, over the real transport. A dash has its reason below. The revisions between the columns, 2025-03-26 and 2025-06-18, are tried beside it in \`oldServers.int.test.ts\`, on servers made with the SDKs of their time, over stdio and Streamable HTTP. \`server-postgres\` speaks 2024-11-05, \`server-everything\` 2025-11-25, \`modern\` (made with the SDK) 2026-07-28; a device speaks the framed protocol.

${row(['', ...heads.map(({ server, way }) => `${server} (${revisions[server]}), ${wayNames[way]}`)])}
${row(['---', ...heads.map(() => '---')])}
${rows.join('\n')}

${notes.list}

Pairs that cannot be:

${row(['server', 'way', 'why not'])}
${row(['---', '---', '---'])}
${pairs.join('\n')}

## What MCP deprecates

Baton speaks it with servers and clients that use it, as long as a revision that Baton speaks has it. Nothing new is built on it.

| what | deprecated since | removed at the earliest by | in place of it | where Baton has it |
| --- | --- | --- | --- | --- |
| roots | 2026-07-28 (SEP-2577) | the first revision from 2027-07-28 on | arguments, URIs of resources, the server's own configuration | \`roots\` of a server |
| sampling | 2026-07-28 (SEP-2577) | the first revision from 2027-07-28 on | the [configured models](../models.md) | \`sampling\` of a server; \`sample\` with \`via: caller\`, which \`check\` warns of |
| logging | 2026-07-28 (SEP-2577) | the first revision from 2027-07-28 on | stderr over stdio, OpenTelemetry | \`logLevel\` of a server |
| registration of clients by themselves (RFC 7591) | 2026-07-28 | the first revision from 2027-07-28 on | \`clientMetadataUrl\`, or \`clientId\` | a login where the server names neither |
| HTTP+SSE | 2025-03-26 | three months after SEP-2596 is final | Streamable HTTP | \`"type": "sse"\`, and addresses without a type that answer so |
| \`includeContext\` of sampling | 2025-11-25 | with sampling | \`messages\` | \`sample\`, which \`check\` warns of |
`;
}
