/**
 * The texts by which a secret is recognised. Escapes are not among them: texts are decoded before they are searched.
 */
import { limits } from '@baton/language';

import { decodedText } from './decodedText.ts';

const { charactersMin } = limits.secret;

/** A shorter line of a long secret is too common, such as a brace or a heading. */
const lineCharactersMin = 8;
const pemBoundary = /^-{2,}(?:BEGIN|END)\b/;

/** The secret itself, its decoded text where it is escaped, and each line of one with several. */
export function plainForms(secret: string): readonly string[] {
  const whole = [secret, secret.trim(), decodedText(secret)?.text ?? secret];
  const lines = whole.filter((text) => /[\r\n]/.test(text.trim())).flatMap((text) => text.split(/[\r\n]+/));
  const contentLines = lines.map((line) => line.trim()).filter((line) => !pemBoundary.test(line));
  const all = [...whole, ...contentLines.filter(({ length }) => length >= lineCharactersMin)];
  return [...new Set(all.filter(({ length }) => length >= charactersMin))];
}

/** As an HTML form encodes it (`+` for a space), in hexadecimal, and in base64, by itself or as a JSON string. */
export function encodedForms(plain: string): readonly string[] {
  const bytes = Buffer.from(plain);
  const hex = bytes.toString('hex');
  const json = Buffer.from(JSON.stringify(plain).slice(1, -1));
  const forms = [plain.replaceAll(' ', '+'), hex, hex.toUpperCase(), ...base64Forms(bytes)];
  return json.equals(bytes) ? forms : [...forms, ...base64Forms(json)];
}

/**
 * In both alphabets, and also as part of a longer text that was encoded as base64, as in `Authorization: Basic`: the
 * secret then begins at one of three offsets within the groups of four, and the characters it shares with its
 * neighbours are left off.
 */
function base64Forms(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    const from = Math.ceil((before * 8) / 6);
    const until = Math.floor((padded.length * 8) / 6);
    return (['base64', 'base64url'] as const).map((alphabet) => padded.toString(alphabet).slice(from, until));
  });
}
