/** Makes a value when it is first asked for, and the same one from then on. */
export function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}
