/**
 * What a person does not see in a text: the one list for the cleaner, for the filter of secrets, for messages, for the
 * page and for the terminal. Two lists of the same thing let a secret through that the cleaner then put together.
 */

/**
 * Control sequences of terminals (ECMA-48, 5.4 and 5.6): colours and cursors, and strings such as titles and links.
 * Each attempt stops at the next introducer, so that the time taken is linear; `util.stripVTControlCharacters` needs
 * half a minute for 200 KB of unfinished ones.
 */
const sequence = [
  String.raw`(?:\x1B\[|\x9B)[0-?]*[ -\/]*[@-~]`,
  String.raw`(?:\x1B[\]PX^_]|[\x90\x98\x9D-\x9F])[^\x07\x1B\x80-\x9F]*(?:\x07|\x1B\\|\x9C)`,
  String.raw`\x1B[ -\/]*[0-~]`,
].join('|');

/**
 * Control characters but newline and tab; format characters (bidi, zero-width, tags); lone surrogates; line and paragraph
 * separators; and what is drawn as nothing by default (fillers, joiners, variation selectors).
 */
const character = String.raw`[^\P{Cc}\n\t]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`;

/** Source of a regular expression with the flag `u`: a terminal sequence, or an invisible character. */
export const invisibleSource = `${sequence}|${character}`;

const invisible = new RegExp(invisibleSource, 'gu');
const anyInvisible = new RegExp(character, 'u');
const invisibleOrEmoji = new RegExp(String.raw`\p{RGI_Emoji}|${character}`, 'gv');

/** Without terminal sequences and invisible characters: all of it, or at least that many units, if there are as many. */
export function withoutInvisible(text: string, enough = Number.POSITIVE_INFINITY): string {
  let clean = '';
  let from = 0;
  for (const { 0: found, index } of text.matchAll(invisible)) {
    if (clean.length + index - from >= enough) break;
    clean += text.slice(from, index);
    from = index + found.length;
  }
  return from === 0 ? text : clean + text.slice(from, Math.min(text.length, from + enough));
}

/** Whether the text has an invisible character; those that are a part of an emoji do not count. */
export const hasInvisible = (text: string): boolean => anyInvisible.test(text) && withEscapes(text) !== text;

/**
 * With each invisible character written as JSON does, `\u202e`: a person sees that it is there, and it does nothing. JSON
 * means the same afterwards. A part of an emoji stays as it is.
 */
export const withEscapes = (text: string): string => withInvisibleAs(text, escaped);

/** With `instead` of each invisible character; line ends of Windows are line ends. */
export function withInvisibleAs(text: string, instead: (character: string) => string): string {
  if (!anyInvisible.test(text)) return text;
  return text.replaceAll('\r\n', '\n').replaceAll(invisibleOrEmoji, (one) => (isInvisible(one) ? instead(one) : one));
}

const wholeInvisible = new RegExp(`^(?:${character})$`, 'u');
const isInvisible = (one: string): boolean => wholeInvisible.test(one);

const escaped = (one: string): string =>
  Array.from({ length: one.length }, (_, at) => `\\u${one.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
