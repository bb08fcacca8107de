/** For tests: holds what the server answers to the OpenAPI document that it publishes. */
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';

export interface RecordedAnswer {
  readonly method: string;
  /** With or without its query. */
  readonly url: string;
  readonly status: number;
  readonly contentType: string | undefined;
  readonly text: string;
}

interface Media {
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
}

interface Operation {
  readonly responses: Readonly<Record<string, Media>>;
}

/** As far as it is looked at here. */
export interface ApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const documentId = 'baton:openapi';

export class AnswerCheck {
  readonly #document: ApiDocument;
  readonly #ajv: Ajv2020;
  readonly #patterns: readonly (readonly [RegExp, string])[];

  constructor(document: ApiDocument) {
    this.#document = document;
    this.#ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(this.#ajv);
    this.#ajv.addSchema({ ...document, $id: documentId });
    // What is named goes before what is a parameter.
    this.#patterns = Object.keys(document.paths)
      .toSorted((a, b) => a.split('{').length - b.split('{').length)
      .map((path) => [new RegExp(`^${path.replaceAll('.', String.raw`\.`).replaceAll(/\{\w+\}/g, '[^/]+')}$`), path]);
  }

  /** What is wrong with the answer; undefined where it is as the document says. */
  fault({ method, url, status, contentType, text }: RecordedAnswer): string | undefined {
    const address = url.split('?')[0] ?? '';
    const path = this.#patterns.find(([pattern]) => pattern.test(address))?.[1];
    const responses = path === undefined ? undefined : this.#document.paths[path]?.[method.toLowerCase()]?.responses;
    // The document and its page are not in the document; but problems are what they are everywhere.
    if (responses === undefined)
      return status < 400 ? undefined : this.#schemaFault('#/components/schemas/Problem', text);
    const where = `${method} ${path} ${status}`;
    const known = responseFor(responses, status);
    if (known === undefined) return `${where}: the document knows no such status`;
    const [key, { content }] = known;
    if (content === undefined) return text === '' ? undefined : `${where}: the document knows of no body`;
    const type = contentType?.split(';')[0] ?? '';
    if (content[type] === undefined) return `${where}: the document does not know ${type || 'an answer without type'}`;
    if (!type.endsWith('json') || type.endsWith('ndjson')) return undefined;
    const pointer = ['paths', path ?? '', method.toLowerCase(), 'responses', key, 'content', type, 'schema'];
    const fault = this.#schemaFault(`#/${pointer.map(escaped).join('/')}`, text);
    return fault === undefined ? undefined : `${where}: ${fault}`;
  }

  #schemaFault(pointer: string, text: string): string | undefined {
    const validate =
      this.#ajv.getSchema(`${documentId}${pointer}`) ?? this.#ajv.compile({ $ref: documentId + pointer });
    const isRight = validate(JSON.parse(text)) === true;
    return isRight ? undefined : `${this.#ajv.errorsText(validate.errors)} in ${text.slice(0, 500)}`;
  }
}

const escaped = (segment: string): string => encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1'));

function responseFor(responses: Operation['responses'], status: number): readonly [string, Media] | undefined {
  for (const key of [String(status), `${Math.floor(status / 100)}XX`]) {
    const response = responses[key];
    if (response !== undefined) return [key, response];
  }
  return undefined;
}
