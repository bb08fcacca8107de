/** Reads what processes tell each other. */

/** The texts of a JSON list; none for any other message. */
export function textsIn(message: string): readonly string[] {
  try {
    const list: unknown = JSON.parse(message);
    return Array.isArray(list) ? list.filter((entry): entry is string => typeof entry === 'string') : [];
  } catch {
    return [];
  }
}
