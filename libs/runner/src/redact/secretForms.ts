/**
 * The texts by which a secret is recognised. Escapes are not among them: texts are decoded before they are searched.
 */
import { limits } from '@baton/expressions';

import { decoded } from './escapes.ts';
import { runToEnd } from './slices.ts';

const { charactersMin } = limits.secret;

/** A shorter line of a secret with several lines may occur in any text, such as a brace. */
const lineCharactersMin = 8;
const pemBoundary = /^-{2,}(?:BEGIN|END)\b/;

/** The secret itself, its decoded text where it is escaped, and each line of one with several. */
export function plainForms(secret: string): readonly string[] {
  // A carriage return before a line feed is not shown.
  const whole = [
    secret,
    secret.trim(),
    secret.replaceAll('\r\n', '\n'),
    runToEnd(decoded(secret, false))?.text ?? secret,
  ];
  const lines = whole.filter((text) => /[\r\n]/.test(text.trim())).flatMap((text) => text.split(/[\r\n]+/));
  const contentLines = lines.map((line) => line.trim()).filter((line) => !pemBoundary.test(line));
  const all = [...whole, ...contentLines.filter(({ length }) => length >= lineCharactersMin)];
  return [...new Set(all.filter(({ length }) => length >= charactersMin))];
}

/** The secret as in an HTML form (`+` for a space), in hexadecimal, and in base64, by itself or as a JSON string. */
export function encodedForms(plain: string): readonly string[] {
  const bytes = Buffer.from(plain);
  const hex = bytes.toString('hex');
  const json = Buffer.from(JSON.stringify(plain).slice(1, -1));
  const forms = [plain.replaceAll(' ', '+'), hex, hex.toUpperCase(), ...base64Forms(bytes)];
  return json.equals(bytes) ? forms : [...forms, ...base64Forms(json)];
}

/**
 * In both alphabets, by itself and inside a longer encoded text such as `Authorization: Basic`: there the secret begins at
 * one of three offsets within a group of four characters, and characters that it shares with its neighbours are left off.
 */
function base64Forms(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    const from = Math.ceil((before * 8) / 6);
    const until = Math.floor((padded.length * 8) / 6);
    return (['base64', 'base64url'] as const).map((alphabet) => padded.toString(alphabet).slice(from, until));
  });
}
