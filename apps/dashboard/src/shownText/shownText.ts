/**
 * Foreign text cannot change the direction of writing, or hide in control characters: each such character is shown as
 * JSON writes it, `\u202e`.
 */

/** Embeddings, overrides and isolates of UAX 9, and control characters but newline and tab. */
const concealing = /[\u202A-\u202E\u2066-\u2069]|[^\P{Cc}\n\r\t]/gu;
const isConcealing = new RegExp(concealing.source, 'u');

export const hides = (text: string): boolean => isConcealing.test(text);

export const shownText = (text: string): string =>
  hides(text) ? text.replaceAll(concealing, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`) : text;
