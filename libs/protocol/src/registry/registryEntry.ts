/**
 * `server.json` of the MCP registry, as far as Baton can use it: an npm or PyPI package or a container image to start
 * here, or an address.
 *
 * Schema: https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json
 */
import { isObject } from '@baton/primitives';
import * as z from 'zod';

import { referencesIn } from '../config/reference.ts';

const Input = z.looseObject({
  description: z.string().optional(),
  isRequired: z.boolean().default(false),
  isSecret: z.boolean().default(false),
  value: z.string().optional(),
  default: z.string().optional(),
  placeholder: z.string().optional(),
  choices: z.array(z.string()).optional(),
});

const NamedInput = Input.extend({ name: z.string().min(1) });

const Argument = Input.extend({
  type: z.enum(['positional', 'named']).default('positional'),
  name: z.string().optional(),
  valueHint: z.string().optional(),
});

/**
 * A package or an image, and no option of `npx`, `uvx` or `docker`, no folder and no other source, which these programs
 * take in the same place.
 */
const imageForm = /^\w[\w.:/-]*(?:@sha256:[\da-f]{64})?$/;
/** Without a colon: `npx` and `uvx` take addresses and files, too. */
const identifierForms: Readonly<Record<string, RegExp>> = {
  npm: /^(?:@[\w.-]+\/)?\w[\w.-]*$/,
  pypi: /^\w[\w.-]*(?:\[[\w,.-]+\])?$/,
};
const versionForm = /^\w[\w.+-]*$/;

const PackageSchema = z.looseObject({
  registryType: z.string().optional(),
  identifier: z.string(),
  version: z.string().regex(versionForm, 'it is no version of a package').optional(),
  runtimeHint: z.string().optional(),
  transport: z.looseObject({ type: z.string() }).default({ type: 'stdio' }),
  runtimeArguments: z.array(Argument).default([]),
  packageArguments: z.array(Argument).default([]),
  environmentVariables: z.array(NamedInput).default([]),
});

const Package = PackageSchema.refine(
  ({ registryType = '', identifier }) => (identifierForms[registryType] ?? imageForm).test(identifier),
  { path: ['identifier'], error: 'it is no name of a package' },
);

const Remote = z.looseObject({
  type: z.string(),
  url: z.string().min(1),
  headers: z.array(NamedInput).default([]),
});

const RegistryEntrySchema = z.looseObject({
  name: z.string().min(1),
  description: z.string().optional(),
  version: z.string().optional(),
  packages: z.array(Package).default([]),
  remotes: z.array(Remote).default([]),
});

export type RegistryEntry = z.infer<typeof RegistryEntrySchema>;

/** A value that the person gives, or that the entry has. */
export type RegistryInput = z.infer<typeof Input>;
export type RegistryPackage = z.infer<typeof Package>;
export type RegistryRemote = z.infer<typeof Remote>;

/**
 * `json`: the content of the file, or a row of the registry's list around it. Returns a sentence if it is no entry, or
 * if its texts contain references: `mcp.json` would send any secret or variable that they name to its server.
 */
export function readRegistryEntry(json: unknown): RegistryEntry | string {
  const inner = isObject(json) && isObject(json['server']) ? json['server'] : json;
  const result = RegistryEntrySchema.safeParse(inner);
  if (result.success) {
    const { packages, remotes } = result.data;
    const [reference] = referencesIn(JSON.stringify([packages, remotes], withoutDescriptions));
    return reference === undefined ? result.data : `it must not refer to ${reference.source}`;
  }
  const [issue] = result.error.issues;
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'it is no object'}`;
}

/** People read those, and `mcp.json` does not have them. */
const withoutDescriptions = (key: string, value: unknown): unknown => (key === 'description' ? undefined : value);
