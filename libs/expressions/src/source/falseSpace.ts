/** Characters that look like spaces but are none in YAML and in expressions. */
const falseSpace = /[\u00A0\u2000-\u200B\u202F\u3000\uFEFF]/;

/** Names the first of them, and how to correct it: `the character U+00A0, which …`. */
export function falseSpaceIn(text: string): string | undefined {
  const [space] = falseSpace.exec(text) ?? [];
  if (space === undefined) return undefined;
  const code = space.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  return `the character U+${code}, which looks like a space and is none: write plain spaces`;
}
