/** Makes a value at the first call, and returns the same one from then on. A promise that rejects is made again. */
export function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    if (made !== undefined) return made;
    const value = make();
    made = value;
    if (value instanceof Promise) {
      value.catch(() => {
        made = undefined;
      });
    }
    return value;
  };
}
