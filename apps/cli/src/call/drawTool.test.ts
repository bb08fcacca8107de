import { Writable } from 'node:stream';

import type { Tool } from '@baton/api/client';
import { expect, test } from 'vitest';

import { createOutput } from '../output/output.ts';
import { drawTool } from './drawTool.ts';

test('the command to copy holds no word of the server that a shell or a terminal would act on', () => {
  const tool: Tool = {
    name: 'get\u001B[2Jtext',
    effect: 'read',
    effectFrom: 'default',
    digests: {},
    inputSchema: { type: 'object', required: ['path', '$(touch x)', "it's", 'a\u001B]0;title\u0007b'] },
  };
  const lines = drawTool('files', tool, createOutput(new Writable(), {}));
  expect(lines.at(-1)).toBe(
    String.raw`Call it: baton servers call files gettext -i path=… -i '$(touch x)'=… -i 'it'\''s'=… -i ab=…`,
  );
  expect(lines[0]).toMatch(/^files\/gettext {2}read/);
});
