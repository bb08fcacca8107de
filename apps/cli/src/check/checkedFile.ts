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

/** The help lists them before it loads anything else. */
export const checkFormats = ['text', 'json', 'github', 'sarif'] as const;

export type CheckFormat = (typeof checkFormats)[number];
