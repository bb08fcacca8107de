/** Matches URIs with gaps: a computed part, or a variable of a template, may be any text. */

import { piecesOf } from '@baton/expressions';

/** A URI, or an RFC 6570 template, as texts with gaps between them. */
export type UriForm = readonly string[];

const variable = /\{[^{}]*\}/;

export function formOf(uri: string): UriForm {
  const form = [''];
  for (const piece of piecesOf(uri).pieces) {
    const [first = '', ...rest] = typeof piece === 'string' ? piece.split(variable) : ['', ''];
    form.push((form.pop() ?? '') + first, ...rest);
  }
  return form;
}

/** Names of the variables of an RFC 6570 template. */
export function variablesOf(uri: string): string[] {
  const texts = piecesOf(uri).pieces.filter((piece) => typeof piece === 'string');
  const lists = texts.flatMap((text) => [...text.matchAll(/\{[+#./;?&]?([^{}]*)\}/g)]).map(([, list = '']) => list);
  return lists.flatMap((list) => list.split(',').map((one) => one.replace(/(\*|:\d+)$/, '').trim()));
}

/** Comparisons of characters for one URI; beyond this limit the URI counts as valid. */
const comparisonsMax = 2_000_000;

/** Whether a text exists that matches the form and one of the others. */
export function meetsAny(form: UriForm, others: Iterable<UriForm>): boolean {
  const own = symbols(form);
  let left = comparisonsMax;
  for (const other of others) {
    if (!isAlike(form, other)) continue;
    left -= own.length * other.reduce((sum, text) => sum + text.length + 1, 0);
    if (left < 0 || mayMeet(own, symbols(other))) return true;
  }
  return false;
}

/** A quick comparison of both beginnings. */
function isAlike([a = '']: UriForm, [b = '']: UriForm): boolean {
  const length = Math.min(a.length, b.length);
  return a.slice(0, length) === b.slice(0, length);
}

function mayMeet(left: readonly UriUnit[], right: readonly UriUnit[]): boolean {
  // reach[j]: the first i symbols of one and the first j of the other can read the same text.
  let reach = startOf(right);
  for (const one of left) reach = next(reach, one, right);
  return reach.at(-1) === true;
}

const gap = Symbol('any text');
type UriUnit = string | typeof gap;

const symbols = (form: UriForm): UriUnit[] =>
  form.flatMap((text, i) => (i === 0 ? Array.from(text) : [gap, ...Array.from(text)]));

function startOf(right: readonly UriUnit[]): boolean[] {
  const reach = [true];
  for (const [j, unit] of right.entries()) reach.push(reach[j] === true && unit === gap);
  return reach;
}

function next(before: readonly boolean[], one: UriUnit, right: readonly UriUnit[]): boolean[] {
  const reach = [one === gap && before[0] === true];
  for (const [j, unit] of right.entries()) {
    const [above, left, diagonal] = [before[j + 1] === true, reach[j] === true, before[j] === true];
    if (one === gap) reach.push(above || left);
    else if (unit === gap) reach.push(above || left);
    else reach.push(diagonal && one === unit);
  }
  return reach;
}
