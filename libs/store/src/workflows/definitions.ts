/** Stores the definitions of runs, deployed or inline, by digest. */
import { type Edition, editionNow } from '@baton/expressions';
import type { DecidedEffect, ToolDeclaration } from '@baton/language';
import { type PinnedTool, digestOf } from '@baton/protocol';

import type { Database } from '../database/database.ts';
import type { Prisma } from '../generated/client.ts';
import { digestMismatch } from '../journal/digestMismatch.ts';
import { checkStorable, isStorable } from '../journal/storableText.ts';

/**
 * What a definition relies on of one tool: its effect and, if its server answered, its definition with digests, and what
 * the server configuration declares for its calls.
 */
export type Pin = Pick<DecidedEffect, 'effect' | 'from' | 'idempotency'> & PinnedTool & ToolDeclaration;

/** By `server/tool`. */
export type Pins = Readonly<Record<string, Pin>>;

/** Everything that a plan is compiled from: `compile(parse(source), { effects: pins, edition })`. */
export interface Definition {
  /** SHA-256 of the other fields: `sha256:…`. */
  readonly digest: string;
  readonly format: 'yaml' | 'json';
  readonly source: string;
  readonly pins: Pins;
  /** The edition of the language when the definition was made; its runs keep that edition. */
  readonly edition: Edition;
}

export function definitionOf(
  source: string,
  format: Definition['format'],
  pins: Pins,
  edition: Edition = editionNow,
): Definition {
  return { digest: digestOfDefinition({ format, source, pins, edition }), format, source, pins, edition };
}

/** Computes the digest of a definition. */
export function digestOfDefinition({
  format,
  source,
  pins,
  edition,
}: Omit<DefinitionRow | Definition, 'digest'>): string {
  // Definitions of the first edition were hashed without it.
  return `sha256:${digestOf({ format, source, pins, ...(edition === 1 ? {} : { edition }) })}`;
}

/** Stores a definition; does nothing if it is stored already. */
export async function putDefinition(
  { prisma }: { readonly prisma: Pick<Database['prisma'], 'definition'> },
  { digest, format, source, pins, edition }: Definition,
): Promise<void> {
  checkStorable('workflow text', digest, source);
  const data = [{ digest, format, source, edition, pins: pins as unknown as Prisma.InputJsonObject }];
  await prisma.definition.createMany({ data, skipDuplicates: true });
}

export async function getDefinition({ prisma }: Database, digest: string): Promise<Definition | undefined> {
  if (!isStorable(digest)) return undefined;
  const found = await prisma.definition.findUnique({ where: { digest } });
  return found === null ? undefined : definitionIn(found);
}

interface DefinitionRow {
  readonly digest: string;
  readonly format: string;
  readonly source: string;
  readonly pins: Prisma.JsonValue;
  readonly edition: number;
}

/** Throws `FailureError` if it does not match its digest: Baton neither shows nor runs a changed definition. */
export function definitionIn(row: DefinitionRow): Definition {
  const { digest, format, source, pins, edition } = row;
  if (digestOfDefinition(row) !== digest) throw digestMismatch(`The definition ${digest}`);
  return {
    digest,
    format: format as Definition['format'],
    source,
    pins: pins as unknown as Pins,
    edition: edition as Edition,
  };
}
