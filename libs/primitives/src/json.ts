/** A value that survives JSON. Everything a workflow reads, computes or hands on is one. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export type JsonObject = { readonly [key: string]: Json };

/** A JSON Schema, 2020-12. */
export type JsonSchema = JsonObject | boolean;
