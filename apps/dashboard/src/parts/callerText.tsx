/** The author of an action: the name of the key, with its id in the tooltip. */
export function CallerText({ by }: { readonly by: string }) {
  return <span title={by}>{by.replace(/ \([^()]*\)$/, '')}</span>;
}
