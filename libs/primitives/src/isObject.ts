type AnyObject = { readonly [key: string]: unknown };

/** The members of a union that are objects: of `Json`, `JsonObject`. */
type ObjectIn<Value> = Extract<Value, AnyObject> | (unknown extends Value ? Value & AnyObject : never);

/** True for a JSON object: neither null nor a list. */
export const isObject = <Value>(value: Value): value is ObjectIn<Value> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Of untrusted data: what is no object has no members. */
export const membersOf = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {});
