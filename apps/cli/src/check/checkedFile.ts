import type { Finding } from '@baton/language';

/** A file and its findings. */
export interface CheckedFile {
  readonly name: string;
  readonly findings: readonly Finding[];
}

export interface Totals {
  readonly files: number;
  readonly errors: number;
  readonly warnings: number;
}

export function totalsOf(files: readonly CheckedFile[]): Totals {
  const all = files.flatMap(({ findings }) => findings);
  const errors = all.filter(({ severity }) => severity === 'error').length;
  return { files: files.length, errors, warnings: all.length - errors };
}

export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
