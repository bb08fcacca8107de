/**
 * Estimates the instructions of a regular expression before it is compiled: `(a{1,10}){1,10}` is a hundred, and making
 * each takes some 5 microseconds.
 */

/** A class of Unicode has hundreds of ranges. */
const classUnits = 20;
/** Larger sizes count as this. */
const most = 1e9;

interface PatternGroup {
  /** Units of the group so far, and of its last element, to which a repetition applies. */
  units: number;
  last: number;
}

const repetition = /\{(\d{1,4})(,(\d{0,4}))?\}/y;

/** Linear in the length of the pattern. */
export function patternSize(source: string): number {
  const open: PatternGroup[] = [{ units: 0, last: 0 }];
  const add = (units: number): void => {
    const group = open.at(-1);
    if (group === undefined) return;
    group.units = Math.min(most, group.units + units);
    group.last = units;
  };
  for (let at = 0; at < source.length; at++) {
    const one = source[at] ?? '';
    if (one === '\\') {
      add(/[pP]/.test(source[at + 1] ?? '') ? classUnits : 1);
      at++;
    } else if (one === '[') {
      const end = classEnd(source, at);
      add(1 + classUnits * (source.slice(at, end).match(/\\[pP]/g)?.length ?? 0));
      at = end;
    } else if (one === '(') open.push({ units: 2, last: 0 });
    else if (one === ')') add((open.length > 1 ? open.pop()?.units : 0) ?? 0);
    else if (one === '{') at += repeat(open.at(-1), source, at);
    else add(1);
  }
  return open.reduce((sum, { units }) => sum + units, 0);
}

/** Adds a copy for each possible repetition; returns how many characters it read beyond the first. */
function repeat(group: PatternGroup | undefined, source: string, at: number): number {
  repetition.lastIndex = at;
  const [whole, least, comma, end] = repetition.exec(source) ?? [];
  if (group === undefined || whole === undefined) return 0;
  const times = Math.max(1, Number(least), Number(end ?? 0));
  // A copy for each repetition, and a branch before each optional one.
  const units = group.last * times + (comma === undefined ? 0 : 1 + times - Number(least));
  group.units = Math.min(most, group.units - group.last + units);
  group.last = Math.min(most, units);
  return whole.length - 1;
}

/** The end of the class that begins here. */
function classEnd(source: string, start: number): number {
  for (let at = start + 1; at < source.length; at++) {
    if (source[at] === '\\') at++;
    else if (source[at] === ']' && at > start + 1) return at;
  }
  return source.length;
}
