/** What another server says of itself: read at the first need, and again after so long, or where it could not be read. */
export function rememberedFor<Value>(ms: number, read: () => Promise<Value>): () => Promise<Value> {
  let known: { readonly value: Promise<Value>; readonly readAt: number } | undefined;
  return () => {
    const now = performance.now();
    if (known !== undefined && now - known.readAt < ms) return known.value;
    const reading = { value: read(), readAt: now };
    known = reading;
    reading.value.catch(() => {
      if (known === reading) known = undefined;
    });
    return reading.value;
  };
}
