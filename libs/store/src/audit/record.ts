/** What an export of the audit trail is made of, one record a line. */
import { hash } from 'node:crypto';

import type { ChainLink } from '../journal/chain.ts';
import type { ChainedEntry } from './entries.ts';

/** Says at the beginning what there must be, so that nothing can be left away at the end. */
export interface Manifest {
  readonly type: 'manifest';
  readonly format: 'baton-audit/1';
  readonly at: number;
  readonly entries: number;
  readonly seals: number;
  /** Of the last seal. */
  readonly sealHash: string;
  readonly runs: number;
  /** PEM: what the seals of the installation are signed with. Trust one that you have from elsewhere. */
  readonly publicKey?: string;
  /** Of an excerpt: what comes before it. */
  readonly from?: ExcerptStart;
}

/** Where an excerpt begins: after so many entries and seals, whose last ones have these hashes. */
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
  /** Of `leafOf` its runs. */
  readonly root: string;
  /** How far the chain of entries had got, and its hash there. */
  readonly entries: number;
  readonly entryHash: string;
  readonly hash: string;
  /** Ed25519 over `hash`, hexadecimal, and the id of the public key. Null: sealed before there were signatures. */
  readonly signature?: string | null;
  readonly key?: string | null;
}

/** From where on the events of a journal bear marks; itself marked. */
export interface MarkStart {
  readonly seq: number;
  readonly head: string;
  readonly mark: string;
}

/** The end of a run's journal. */
export interface SealedRun {
  readonly id: string;
  readonly seal: number;
  /** Among the runs of the seal, counted from 0. */
  readonly place: number;
  readonly seq: number;
  readonly head: string;
}

/** A run that no seal vouches for yet: its journal is a chain all the same. */
interface UnsealedRun {
  readonly id: string;
  readonly seal: null;
}

/** Not in exports: only the installation can tell whether it is right. */
interface Marked {
  readonly mark?: string | null;
}

export type AuditRecord =
  | Manifest
  | ({ readonly type: 'entry'; readonly hash: string } & Marked & ChainedEntry)
  | ({ readonly type: 'seal' } & Seal)
  | ({ readonly type: 'run'; readonly start?: MarkStart | null } & (SealedRun | UnsealedRun))
  | ({ readonly type: 'event'; readonly event: string; readonly hash: string } & Marked & Omit<ChainLink, 'type'>)
  /** `digest`: SHA-256 of all lines before, line breaks included. */
  | { readonly type: 'end'; readonly records: number; readonly digest: string };

export const leafOf = ({ id, seq, head }: Pick<SealedRun, 'id' | 'seq' | 'head'>): string => `${id}\n${seq}\n${head}`;

/** Hexadecimal SHA-256 of lines in UTF-8: the hash of the seal before, and the fields. */
export const sealHash = (
  before: string,
  { number, at, runs, root, entries, entryHash }: Omit<Seal, 'hash' | 'signature' | 'key'>,
): string => hash('sha256', [before, number, at, runs, root, entries, entryHash].join('\n'), 'hex');
