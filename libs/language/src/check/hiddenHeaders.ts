/**
 * Headers of a delivery that workflows do not see: credentials for Baton or for a proxy. They would remain in the
 * journal for ever.
 */
const hidden =
  /^(?:proxy-.*|connection|transfer-encoding|expect)$|auth(?!ors?$)|cookie|token|secret|assertion|signature|hmac|credential|passw|session|jwt|(?:^|[-_])(?:api|access|app|private)?(?<!idempotency-)key(?:$|[-_])/;

/** `name`: in lower case. */
export const isHiddenHeader = (name: string): boolean => hidden.test(name);
