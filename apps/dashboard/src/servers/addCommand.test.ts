import { expect, test } from 'vitest';

import { addCommand } from './addCommand.ts';

test.each([
  ['', 'npx baton add npm:PACKAGE'],
  [' @scope/server ', 'npx baton add npm:@scope/server'],
  ['npm:server', 'npx baton add npm:server'],
  ['io.github.user/server', 'npx baton add io.github.user/server'],
  ['https://mcp.example/mcp', 'npx baton add https://mcp.example/mcp'],
  ['https://mcp.example/mcp?a=1&b=2', "npx baton add 'https://mcp.example/mcp?a=1&b=2'"],
  ["x; rm -rf '/'", String.raw`npx baton add 'npm:x; rm -rf '\''/'\'''`],
])('What is written as %j is added by %j', (written, command) => {
  expect(addCommand(written)).toBe(command);
});
