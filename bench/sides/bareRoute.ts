/** Child process: the least that can be called a way in. A Fastify route that writes one row and answers. */
import { newRunId } from '@baton/store';
import Fastify from 'fastify';
import { Pool } from 'pg';

const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });
await pool.query('create table start (id uuid primary key, body json, at timestamptz)');
const app = Fastify();
app.post('/start', async (request, reply) => {
  const id = newRunId(Date.now());
  const values = [id, JSON.stringify(request.body), new Date()];
  await pool.query({ name: 'start', text: 'insert into start values ($1, $2, $3)', values });
  reply.code(202);
  return { id, status: 'queued' };
});
const url = await app.listen({ host: '127.0.0.1', port: 0 });
process.on('disconnect', () => process.exit(0));
process.send?.({ ready: { url } });
