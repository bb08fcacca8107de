/**
 * Words that hide who acts. Docs, help and messages name the actor instead: "a worker", "the client", "no step".
 * Comments of the rooms in `plainRooms` (tests/tidy.test.ts) are held to the same list.
 */
export const riddleWords =
  /\b(whoever|whomever|somebody|anybody|everybody|nobody|befalls?|befell|(?:is|are) told of|stands? in(?! (?:brackets|line)\b)|said to be)\b/i;
