/** Converts paragraphs of the checker into elements: supports its subset of Markdown, and shows all else as text. */
import { shownText } from '../shownText/shownText.ts';

const marks = /`([^`]+)`|\*\*([^*]+)\*\*|\\(.)/g;

export function hoverDom(paragraphs: readonly string[]): HTMLElement {
  const box = document.createElement('div');
  box.className = 'cm-hover';
  for (const paragraph of paragraphs) {
    const place = document.createElement('p');
    append(place, paragraph.replaceAll(/^```\w*\n?|```$/gm, ''));
    box.append(place);
  }
  return box;
}

function append(place: HTMLElement, text: string): void {
  let from = 0;
  for (const match of text.matchAll(marks)) {
    const [whole, code, strong, escaped] = match;
    place.append(shownText(text.slice(from, match.index)));
    if (escaped !== undefined) place.append(shownText(escaped));
    else {
      const element = document.createElement(code === undefined ? 'b' : 'code');
      element.textContent = shownText(code ?? strong ?? '');
      place.append(element);
    }
    from = match.index + whole.length;
  }
  place.append(shownText(text.slice(from)));
}
