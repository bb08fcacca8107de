/**
 * A mistake or a doubt in a workflow file. `baton check` prints it, REST returns it and editors show it, in the same
 * shape.
 */
export interface Finding {
  /** Stable, kebab-case: `unknown-key`. Listed in docs/reference/findings.md. */
  readonly code: string;
  readonly severity: 'error' | 'warning';
  /** A whole sentence: what is wrong. Never more than 80 characters of the author's text. */
  readonly message: string;
  /** 1-based, in code points. */
  readonly line: number;
  readonly column: number;
  /** The file, where the caller named one. */
  readonly file?: string;
  /** JSON pointer into the document: `/steps/2/with/url`. */
  readonly path: string;
  readonly expected?: string;
  readonly found?: string;
  /** One suggestion: `did you mean "steps.scan"?` */
  readonly hint?: string;
  /** The lines around the place, with a caret under the offending token. */
  readonly frame: string;
}
