/** The definitions of runs, deployed or inline, by digest. */
import type { DecidedEffect, Edition } from '@baton/language';
import { editionNow } from '@baton/language';
import type { PinnedTool } from '@baton/protocol';
import { digestOf } from '@baton/protocol';

import type { Database } from '../database/database.ts';
import type { Prisma } from '../generated/client.ts';
import { notItsDigest } from '../journal/notItsDigest.ts';
import { checkStorable, isStorable } from '../journal/storableText.ts';

/** What a definition relies on of one tool: its effect and, if its server answered, its definition with digests. */
export type Pin = Pick<DecidedEffect, 'effect' | 'from' | 'idempotency'> & PinnedTool;

/** By `server/tool`. */
export type Pins = Readonly<Record<string, Pin>>;

/** Everything that a plan is compiled from: `compile(parse(source), { effects: pins, edition })`. */
export interface Definition {
  /** Of all the rest. */
  readonly digest: string;
  readonly format: 'yaml' | 'json';
  readonly source: string;
  readonly pins: Pins;
  /** The edition of the language when it was made; its runs keep that meaning. */
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

/** What the digest of a definition must be. */
export function digestOfDefinition({
  format,
  source,
  pins,
  edition,
}: Omit<DefinitionRow | Definition, 'digest'>): string {
  // Definitions of the first edition have no edition.
  return `sha256:${digestOf({ format, source, pins, ...(edition === 1 ? {} : { edition }) })}`;
}

/** The same digest again changes nothing. */
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

/** Throws `FailureError` if it does not match its digest: Baton neither shows nor runs what was not deployed. */
export function definitionIn(row: DefinitionRow): Definition {
  const { digest, format, source, pins, edition } = row;
  if (digestOfDefinition(row) !== digest) throw notItsDigest(`The definition ${digest}`);
  return {
    digest,
    format: format as Definition['format'],
    source,
    pins: pins as unknown as Pins,
    edition: edition as Edition,
  };
}
