/**
 * Headers of a delivery that are of no use to a workflow, or none of its business: what proves who sent it, to us or to
 * what stands before us. They would stay in the journal for ever.
 */
const hidden =
  /^(?:proxy-.*|connection|transfer-encoding|expect)$|auth(?!ors?$)|cookie|token|secret|assertion|signature|credential|passw|session|jwt|(?:^|[-_])(?:api|access|app|private)?(?<!idempotency-)key(?:$|[-_])/;

/** `name`: in lower case. */
export const isHiddenHeader = (name: string): boolean => hidden.test(name);
