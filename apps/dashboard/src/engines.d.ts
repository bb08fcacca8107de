/** A property of V8 that other engines do not have; `libs/language` sets it if it exists. */
interface ErrorConstructor {
  stackTraceLimit: number;
}
