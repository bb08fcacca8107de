/** Who did it: the name of the key; its id is in the title. */
export function CallerText({ by }: { readonly by: string }) {
  return <span title={by}>{by.replace(/ \([^()]*\)$/, '')}</span>;
}
