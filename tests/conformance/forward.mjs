/**
 * What the suite starts for each scenario: a process that passes the scenario on to the client in the test, and ends as
 * that says. A process that loads our transports costs ten times as much.
 *
 *   node forward.mjs CLIENT URL
 */
import { request } from 'node:http';
import { text } from 'node:stream/consumers';

const [client, url] = process.argv.slice(2);
const { MCP_CONFORMANCE_SCENARIO: name = '', MCP_CONFORMANCE_CONTEXT: context = '{}' } = process.env;
const asking = request(client, { method: 'POST' }, async (answer) => {
  process.stderr.write(await text(answer));
  process.exitCode = answer.statusCode === 200 ? 0 : 1;
});
asking.end(JSON.stringify({ url, name, context }));
