/** The records of an export of the audit trail, one on each line. */
import { hash } from 'node:crypto';

import type { MarksPlace } from '../database/auditKeys.ts';
import type { ChainLink } from '../journal/chain.ts';
import type { ChainedEntry } from './entries.ts';

/** The first record: it states the extent of the trail, so that a cut-off end is noticed. */
export interface Manifest {
  readonly type: 'manifest';
  readonly format: 'baton-audit/1';
  readonly at: number;
  readonly entries: number;
  readonly seals: number;
  /** Hash of the last seal. */
  readonly sealHash: string;
  readonly runs: number;
  /** PEM of the key that signs the seals. It proves nothing by itself: compare it with a copy from another source. */
  readonly publicKey?: string;
  /** Since when there are marks under this key, for people: each seal states it too, and signs that. */
  readonly begun?: MarksPlace;
  /** Present in an excerpt: the state of the trail before it. */
  readonly from?: ExcerptStart;
}

/** Where an excerpt begins: the numbers of entries and seals before it, and the hashes of the last ones. */
export interface ExcerptStart {
  readonly entries: number;
  readonly entryHash: string;
  readonly seals: number;
  readonly sealHash: string;
}

export interface Seal {
  /** Counted from 1. */
  readonly number: number;
  readonly at: number;
  readonly runs: number;
  /** Merkle root over `leafOf` of its runs, hexadecimal. */
  readonly root: string;
  /** Position of the last entry at that time, and its hash. */
  readonly entries: number;
  readonly entryHash: string;
  readonly hash: string;
  /** Since when there are marks under its key. Absent in seals of older versions of Baton. */
  readonly begun?: MarksPlace | null;
  /** Ed25519, hexadecimal, and the id of the public key. Null: sealed before there were signatures. */
  readonly signature?: string | null;
  readonly key?: string | null;
}

/** The position after which the events of a journal bear marks. The record itself is marked, too. */
export interface MarkStart {
  readonly seq: number;
  readonly head: string;
  readonly mark: string;
}

/** The end of a run's journal. */
export interface SealedRun {
  readonly id: string;
  readonly seal: number;
  /** Position among the runs of the seal, counted from 0. */
  readonly place: number;
  readonly seq: number;
  readonly head: string;
}

/** A run without a seal; its journal is still a hash chain. */
interface UnsealedRun {
  readonly id: string;
  readonly seal: null;
}

/** `mark` is not in exports: only a holder of the installation's key can check it. */
interface MarkField {
  readonly mark?: string | null;
}

export type AuditRecord =
  | Manifest
  | ({ readonly type: 'entry'; readonly hash: string } & MarkField & ChainedEntry)
  | ({ readonly type: 'seal' } & Seal)
  | ({ readonly type: 'run'; readonly start?: MarkStart | null } & (SealedRun | UnsealedRun))
  | ({ readonly type: 'event'; readonly event: string; readonly hash: string } & MarkField & Omit<ChainLink, 'type'>);

/** The last line of an export. */
export interface AuditEnd {
  readonly type: 'end';
  /** Number of the lines before. */
  readonly records: number;
  /** SHA-256 of all lines before, line breaks included. */
  readonly digest: string;
}

export const leafOf = ({ id, seq, head }: Pick<SealedRun, 'id' | 'seq' | 'head'>): string => `${id}\n${seq}\n${head}`;

/** Hexadecimal SHA-256 of lines in UTF-8: the hash of the previous seal, and the fields. */
export const sealHash = (
  before: string,
  { number, at, runs, root, entries, entryHash }: Omit<Seal, 'hash' | 'signature' | 'key' | 'begun'>,
): string => hash('sha256', [before, number, at, runs, root, entries, entryHash].join('\n'), 'hex');
