/**
 * How others name people and clients. These texts become parts of rows, of the audit and of keys of locks, so they have a
 * form before anything is done with them.
 */
const subjectMax = 255;
const clientMax = 500;

/**
 * Why `sub` names no person, as the rest of a sentence about who says it; undefined: it does. OpenID Connect Core 1.0,
 * section 2: at most 255 ASCII characters. It is not shown: it may be long, and steer a terminal.
 */
export function subjectFault(sub: unknown): string | undefined {
  if (typeof sub !== 'string' || sub === '') return 'does not say who the person is (sub)';
  if (sub.length > subjectMax)
    return `names the person (sub) with ${sub.length} characters; expected at most ${subjectMax}`;
  return /^[\x20-\x7e]*$/.test(sub) ? undefined : 'names the person (sub) with other characters than visible ASCII';
}

/** Whether it names a client: an address of its document, or a word. */
export const isClientId = (id: unknown): id is string => typeof id === 'string' && id !== '' && id.length <= clientMax;
