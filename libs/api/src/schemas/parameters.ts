/** Schemas of parameters in addresses and headers. They are parsed strictly, without coercion. */
import { isStorableText, parseInstant } from '@baton/primitives';
import * as z from 'zod';

/** An integer in OpenAPI; only digits in the address. */
export function wholeNumber(minimum: number, maximum: number) {
  const expected = `a whole number from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^\d{1,10}$/, expected)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, expected)
    .meta({ type: 'integer', minimum, maximum, pattern: undefined });
}

/** A text that Postgres can store. */
export const storable = (text: z.ZodString): z.ZodString => text.refine(isStorableText, 'well-formed text without NUL');

export const TextSchema = storable(z.string().max(256));

/** `?flag=true`. */
export const FlagSchema = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .meta({ type: 'boolean', enum: undefined });

/** A parameter that may be repeated. */
export const several = <Item extends z.ZodType>(item: Item) =>
  z.union([item.transform((one) => [one]), z.array(item).min(1).max(20)]);

const firstMs = 0;
const lastMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const instantText = z
  .string()
  .refine((text) => parseInstant(text) !== undefined, {
    abort: true,
    error: 'an RFC 3339 instant such as 2026-11-30T06:00:00Z',
  })
  .meta({ format: 'date-time' });

/** An instant, as epoch milliseconds. Not every program can read instants outside of these years. */
export const InstantTextSchema = instantText.refine(isInReach, 'an instant of the years 1970 to 9999').transform(msOf);

const dateText = 'an RFC 3339 instant such as 2026-11-30T06:00:00Z, or a date such as 2026-11-30';

const dateOrInstant = (dayMs: number) =>
  z
    // Without `abort` zod tells what it says of a date alone.
    .union([instantText, z.iso.date({ abort: true })], { error: dateText })
    .refine(isInReach, 'an instant of the years 1970 to 9999')
    .transform((text) => (parseInstant(text) === undefined ? Math.min(msOf(text) + dayMs, lastMs) : msOf(text)));

/** The beginning of a time range: a date alone means its first instant in UTC. */
export const FromTextSchema = dateOrInstant(0);

/** The end of a time range, exclusive: a date alone means the first instant of the next day. */
export const ToTextSchema = dateOrInstant(86_400_000);

/** The last time of a time range, inclusive: a date alone means its last millisecond. */
export const LastTextSchema = dateOrInstant(86_399_999);

/** A date means its first instant in UTC. */
function msOf(text: string): number {
  return parseInstant(text) ?? parseInstant(`${text}T00:00:00Z`) ?? Number.NaN;
}

function isInReach(text: string): boolean {
  const ms = msOf(text);
  return ms >= firstMs && ms <= lastMs;
}

export const LimitSchema = wholeNumber(1, 200).optional().meta({ description: 'Items per page; the default is 50.' });

export const limitUsual = 50;

export const CursorSchema = z.string().max(512).optional().meta({ description: '`nextCursor` of the previous page.' });

export const PageQuerySchema = z.strictObject({ limit: LimitSchema, cursor: CursorSchema });

/** RFC 9110, section 13.1. */
export const ConditionsSchema = z.looseObject({
  'if-match': z
    .string()
    .optional()
    .meta({ description: 'The `ETag` of the version to replace; 412 if another version is newest.' }),
  'if-none-match': z.string().optional().meta({ description: '`*`: only create, never replace.' }),
});
