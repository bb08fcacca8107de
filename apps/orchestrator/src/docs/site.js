/* The search: an index of the sections of all pages, fetched when the field is used first. */
const field = document.querySelector('input[type=search]');
const list = document.querySelector('.results');
const { index, base } = field.dataset;
const shownMost = 12;
let sections;
let chosen = 0;

const wordsOf = (text) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}_-]+/u)
    .filter((word) => word !== '');

/** Every word has to be there; a heading counts more than the text, the title of the page most. */
function scoreOf({ page, heading, text }, words) {
  let score = 0;
  for (const word of words) {
    const inPage = page.toLowerCase().includes(word) ? 8 : 0;
    const inHeading = heading.toLowerCase().includes(word) ? 6 : 0;
    const times = text.toLowerCase().split(word).length - 1;
    if (inPage + inHeading + times === 0) return 0;
    score += inPage + inHeading + Math.min(times, 4);
  }
  return score;
}

function excerpt(text, [word = '']) {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - 40);
  return `${at > 0 ? '…' : ''}${text.slice(at, at + 140)}`;
}

function row({ name, id, page, heading, text }, words, i) {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = `${base}/${name}${id === '' ? '' : `#${id}`}`;
  link.className = i === chosen ? 'chosen' : '';
  link.textContent = heading === '' || heading === page ? page : `${page} › ${heading}`;
  const about = document.createElement('small');
  about.textContent = excerpt(text, words);
  link.append(about);
  item.append(link);
  return item;
}

async function search() {
  sections ??= await (await fetch(index)).json();
  // Read now: more may have been typed while the index was fetched.
  const words = wordsOf(field.value);
  list.hidden = words.length === 0;
  if (words.length === 0) return;
  const found = sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, shownMost);
  chosen = Math.min(chosen, Math.max(0, found.length - 1));
  list.replaceChildren(...found.map(({ section }, i) => row(section, words, i)));
  if (found.length === 0) list.textContent = 'Nothing found.';
}

field.addEventListener('input', () => {
  chosen = 0;
  void search();
});
field.addEventListener('keydown', (event) => {
  const links = list.querySelectorAll('a');
  if (event.key === 'Escape') list.hidden = true;
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    chosen = Math.max(0, Math.min(links.length - 1, chosen + (event.key === 'ArrowDown' ? 1 : -1)));
    void search();
  }
  if (event.key === 'Enter') {
    event.preventDefault();
    links[chosen]?.click();
  }
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || document.activeElement === field) return;
  event.preventDefault();
  field.focus();
});
