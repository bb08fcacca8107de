/** The tools of the built-in server `kv`: what they take and answer, and what they do. */
import { limits } from '@baton/expressions';
import { z } from 'zod';

import { listedTool, outputTyping } from './builtinTools.ts';

const { keyCharacters, page } = limits.kv;
const Key = z.string().min(1).max(keyCharacters).describe('The name of the value within the project.');

export const GetArguments = z.strictObject({
  key: Key,
  default: z.unknown().optional().describe('The value where none is stored. Without: null.'),
  output: outputTyping('value', 'later steps read. A value that does not fit fails the call.'),
});

export const PutArguments = z.strictObject({ key: Key, value: z.unknown().describe('JSON, at most 64 KiB.') });

export const ListArguments = z.strictObject({
  prefix: z.string().max(keyCharacters).optional().describe('Only keys that begin with it.'),
  after: z.string().max(keyCharacters).optional().describe('The "next" of the page before.'),
  limit: z.int().min(1).max(page.most).default(page.usual).describe('Keys of one page.'),
});

export const DeleteArguments = z.strictObject({ key: Key });

const listed = z.strictObject({
  key: z.string(),
  bytes: z.int(),
  at: z.string().describe('Of the last write, RFC 3339.'),
});

const reads = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
const writes = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };

/** As `tools/list` answers them. */
export const listedKvTools: readonly object[] = [
  listedTool('get', {
    description: 'Reads a value that the workflows of this project share.',
    takes: GetArguments,
    answers: z.strictObject({ found: z.boolean(), value: z.unknown() }),
    annotations: reads,
  }),
  listedTool('put', {
    description: 'Stores a value for the workflows of this project, in place of the one before.',
    takes: PutArguments,
    answers: z.strictObject({ key: z.string() }),
    annotations: writes,
  }),
  listedTool('list', {
    description: 'Lists the keys of this project in order, a page at a time.',
    takes: ListArguments,
    answers: z.strictObject({
      keys: z.array(listed),
      next: z.string().nullable().describe('"after" of the next page; null: there is none.'),
    }),
    annotations: reads,
  }),
  listedTool('delete', {
    description: 'Deletes a value of this project.',
    takes: DeleteArguments,
    answers: z.strictObject({ found: z.boolean() }),
    annotations: writes,
  }),
];
