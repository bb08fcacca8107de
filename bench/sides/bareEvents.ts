/**
 * Child process: the least that can be called live events. A Fastify route that hands new rows on to all who listen.
 */
import type { ServerResponse } from 'node:http';

import Fastify from 'fastify';
import { Client, Pool } from 'pg';

const connectionString = process.env['DATABASE_URL'];
const pool = new Pool({ connectionString, max: 4 });
await pool.query('create table event (seq int generated always as identity primary key, data json)');
const listener = new Client({ connectionString });
await listener.connect();
await listener.query('listen told');

const readers = new Set<ServerResponse>();
let last = 0;
let looking = Promise.resolve();
async function look(): Promise<void> {
  const text = 'select seq, data::text as data from event where seq > $1 order by seq';
  const { rows } = await pool.query<{ seq: number; data: string }>({ name: 'after', text, values: [last] });
  last = rows.at(-1)?.seq ?? last;
  const events = rows.map(({ seq, data }) => `id: ${seq}\ndata: ${data}\n\n`).join('');
  if (events !== '') for (const reader of readers) reader.write(events);
}
listener.on('notification', () => {
  looking = looking.then(look);
});

const app = Fastify();
app.get('/events', (_request, reply) => {
  reply.hijack();
  reply.raw.writeHead(200, { 'content-type': 'text/event-stream' }).write('\n');
  readers.add(reply.raw);
  reply.raw.on('close', () => readers.delete(reply.raw));
});
app.post('/event', async (request, reply) => {
  const text = `with made as (insert into event (data) values ($1) returning seq) select pg_notify('told', seq::text) from made`;
  await pool.query({ name: 'event', text, values: [JSON.stringify(request.body)] });
  reply.code(202);
  return {};
});
const url = await app.listen({ host: '127.0.0.1', port: 0 });
process.on('disconnect', () => process.exit(0));
process.send?.({ ready: { url } });
