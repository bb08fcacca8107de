type AnyObject = { readonly [key: string]: unknown };

/** What of a type is an object: the `JsonObject` of `Json`. */
type ObjectIn<Value> = Extract<Value, AnyObject> | (unknown extends Value ? Value & AnyObject : never);

/** True for objects as JSON knows them: neither null nor a list. */
export const isObject = <Value>(value: Value): value is ObjectIn<Value> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
