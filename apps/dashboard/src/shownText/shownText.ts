/**
 * Foreign text cannot change the direction of writing, or hide words in what is not seen: each such character is shown as
 * JSON writes it, `\u202e`.
 */
export { hasInvisible as hides, withEscapes as shownText } from '@baton/primitives';
