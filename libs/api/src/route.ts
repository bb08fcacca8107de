/** A route as data: method, path, access, request schemas and answer schemas. */
import type * as z from 'zod';

import { type Operation, type OperationName, operations } from './operations.ts';
import type { Exact } from './schemas/values.ts';
import type { Access } from './scopes.ts';

/** An answer of another type than JSON, or of several types. */
export interface ContentAnswer {
  readonly description: string;
  readonly content: Readonly<Record<string, { readonly schema: z.ZodType }>>;
}

/** A body that the route receives as text or bytes. */
interface TextBody {
  readonly description: string;
  /** JSON Schema by media type, for the OpenAPI document. */
  readonly types: Readonly<Record<string, object>>;
}

export interface RouteSpec {
  /** The tag in the OpenAPI document. */
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly headers?: z.ZodType;
  readonly body?: z.ZodType;
  readonly text?: TextBody;
  /** By status. All other statuses are problems. */
  readonly answers: Readonly<Record<number, z.ZodType | ContentAnswer>>;
}

export interface Route extends RouteSpec, Operation {
  readonly name: OperationName;
}

export const route = <Name extends OperationName, const Spec extends RouteSpec>(name: Name, spec: Spec) => ({
  name,
  ...(operations[name] as Operation),
  ...spec,
});

type PartOf<Spec, Name extends keyof RouteSpec> =
  Spec extends Readonly<Record<Name, infer Schema extends z.ZodType>> ? Schema : z.ZodUnknown;

/** The parsed request that a handler of the route receives. */
export interface Received<Spec> {
  readonly params: z.output<PartOf<Spec, 'params'>>;
  readonly query: z.output<PartOf<Spec, 'query'>>;
  readonly headers: z.output<PartOf<Spec, 'headers'>>;
  readonly body: z.output<PartOf<Spec, 'body'>>;
}

/** The request that a client sends; the body is text if the route takes text. */
export interface Sent<Spec> {
  readonly params: z.input<PartOf<Spec, 'params'>>;
  readonly query: z.input<PartOf<Spec, 'query'>>;
  readonly body: Spec extends { readonly text: TextBody } ? string : z.input<PartOf<Spec, 'body'>>;
}

type SchemaOf<Answer> = Answer extends z.ZodType
  ? Answer
  : Answer extends { readonly content: { readonly 'application/json': { readonly schema: infer Schema } } }
    ? Schema
    : Answer extends { readonly content: Readonly<Record<string, { readonly schema: infer Schema }>> }
      ? Schema
      : never;

/** The answers that a handler of the route may return. */
export type AnswerOf<Spec extends RouteSpec> = z.input<SchemaOf<Spec['answers'][keyof Spec['answers']]>>;

/** The answer that a client reads; of several types, the JSON. */
export type ReadAnswer<Spec extends RouteSpec> = Exact<z.output<SchemaOf<Spec['answers'][keyof Spec['answers']]>>>;
