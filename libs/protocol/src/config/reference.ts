/**
 * References in a server's configuration: `${env:NAME}` and `${secret:NAME}`, and the spellings of other clients for
 * the same things: `${NAME}` and `${NAME:-default}` (environment), `${input:NAME}` (a secret that VS Code asks for),
 * `${workspaceFolder}` and `${userHome}`. Other text between braces is kept as text.
 */

export interface Reference {
  readonly kind: 'env' | 'secret' | 'folder';
  readonly name: string;
  readonly fallback?: string;
  /** As it was written. */
  readonly source: string;
}

const pattern = /\$\{(?:(env|secret|input):)?([A-Za-z_][\w.-]{0,127})(?::-([^}]{0,1024}))?\}/g;
const folders = new Set(['workspaceFolder', 'userHome']);

function referenceOf([source, prefix, name = '', fallback]: RegExpExecArray): Reference {
  const rest = { name, source, ...(fallback === undefined ? {} : { fallback }) };
  if (prefix === 'secret' || prefix === 'input') return { kind: 'secret', ...rest };
  return prefix === undefined && folders.has(name) ? { kind: 'folder', ...rest } : { kind: 'env', ...rest };
}

export const referencesIn = (text: string): Reference[] => [...text.matchAll(pattern)].map(referenceOf);

/** `text` with each reference replaced by `valueOf`, else by its default, else by an empty text. */
export function fillReferences(text: string, valueOf: (reference: Reference) => string | undefined): string {
  return text.replaceAll(pattern, (...match) => {
    const reference = referenceOf(match as unknown as RegExpExecArray);
    return valueOf(reference) ?? reference.fallback ?? '';
  });
}
