/** Breaks a text at spaces into lines of at most `width`; a longer word, such as a path, stays whole. */
export function wrapWords(text: string, width: number, widthOf = (part: string): number => part.length): string[] {
  if (widthOf(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
