/** The tools of the built-in server `kv`: what they take and answer, and what they do. */
import { limits, typesAnswer } from '@baton/expressions';
import { z } from 'zod';

const { keyCharacters, page } = limits.kv;
const Key = z.string().min(1).max(keyCharacters).describe('The name of the value within the project.');

export const GetArguments = z.strictObject({
  key: Key,
  default: z.unknown().optional().describe('The value where none is stored. Without: null.'),
  output: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('A JSON Schema of "value": types what later steps read. A value that does not fit fails the call.')
    .meta({ [typesAnswer]: 'value' }),
});

export const PutArguments = z.strictObject({ key: Key, value: z.unknown().describe('JSON, at most 64 KiB.') });

export const ListArguments = z.strictObject({
  prefix: z.string().max(keyCharacters).optional().describe('Only keys that begin with it.'),
  after: z.string().max(keyCharacters).optional().describe('The "next" of the page before.'),
  limit: z.int().min(1).max(page.most).default(page.usual).describe('Keys of one page.'),
});

export const DeleteArguments = z.strictObject({ key: Key });

const schemaOf = (takes: z.ZodType): object => z.toJSONSchema(takes, { io: 'input' });

const listed = z.strictObject({
  key: z.string(),
  bytes: z.int(),
  at: z.string().describe('Of the last write, RFC 3339.'),
});

/** As `tools/list` answers them. */
export const listedKvTools: readonly object[] = [
  {
    name: 'get',
    description: 'Reads a value that the workflows of this project share.',
    inputSchema: schemaOf(GetArguments),
    outputSchema: schemaOf(z.strictObject({ found: z.boolean(), value: z.unknown() })),
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  },
  {
    name: 'put',
    description: 'Stores a value for the workflows of this project, in place of the one before.',
    inputSchema: schemaOf(PutArguments),
    outputSchema: schemaOf(z.strictObject({ key: z.string() })),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  },
  {
    name: 'list',
    description: 'Lists the keys of this project in order, a page at a time.',
    inputSchema: schemaOf(ListArguments),
    outputSchema: schemaOf(
      z.strictObject({
        keys: z.array(listed),
        next: z.string().nullable().describe('"after" of the next page; null: there is none.'),
      }),
    ),
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  },
  {
    name: 'delete',
    description: 'Deletes a value of this project.',
    inputSchema: schemaOf(DeleteArguments),
    outputSchema: schemaOf(z.strictObject({ found: z.boolean() })),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  },
];
