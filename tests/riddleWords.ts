/**
 * Words that hide who acts. Docs, help, messages, comments and titles of tests name the actor instead: "a worker",
 * "the client", "no step". tests/tidy holds all of them to this list.
 */
export const riddleWords =
  /\b(whoever|whomever|whatever|somebody|anybody|everybody|nobody|befalls?|befell|(?:is|are) told of|what it is told|stands? in(?! (?:brackets|line)\b)|said to be)\b/i;
