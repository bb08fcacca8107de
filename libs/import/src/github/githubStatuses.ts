/** The status of a step or a job in expressions: GitHub and Baton have other words for it. */

/** A status whose words are to be translated, between two marks that no expression contains. */
export const githubStatus = /\ue000([^\ue001]*)\ue001/;

const words: Readonly<Record<string, string>> = { success: 'succeeded', failure: 'failed' };

const wordOf = (word: string): string => `"${words[word] ?? word}"`;

export function withStatuses(cel: string): string {
  if (!githubStatus.test(cel)) return cel;
  return cel
    .replaceAll(
      /\ue000([^\ue001]*)\ue001 ([=!]=) "(\w+)"/g,
      (_, status: string, operator: string, word: string) => `${status} ${operator} ${wordOf(word)}`,
    )
    .replaceAll(
      /"(\w+)" ([=!]=) \ue000([^\ue001]*)\ue001/g,
      (_, word: string, operator: string, status: string) => `${wordOf(word)} ${operator} ${status}`,
    )
    .replaceAll(
      /\ue000([^\ue001]*)\ue001/g,
      (_, status: string) => `{"succeeded": "success", "failed": "failure"}[?${status}].orValue(${status})`,
    );
}
