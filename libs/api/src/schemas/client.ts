/** Schemas of clients that people connect with OAuth. */
import * as z from 'zod';

import { type Exact, InstantSchema, WorkflowNameSchema } from './values.ts';

/** What a person can allow a client, from less to more. */
export const clientChoices = ['read', 'run', 'run-approved', 'build'] as const;

export type ClientChoice = (typeof clientChoices)[number];

const ClientChoiceSchema = z.enum(clientChoices).meta({
  id: 'ClientChoice',
  description:
    '`read`: see, and call what only reads. `run`: also start workflows and call tools. `run-approved`: as `run`, and a person approves each write at the gateway. `build`: as `run`, also deploy workflows and answer questions.',
});

const resource = z.string().meta({ description: 'The only address for which its tokens are good.' });

export const ConnectedClientSchema = z
  .strictObject({
    id: z.string(),
    client: z.string().meta({ description: 'The address of its document, or the id with which it registered.' }),
    name: z.string().meta({ description: 'As the client calls itself.' }),
    key: z
      .strictObject({ id: z.string(), name: z.string() })
      .meta({ description: 'Its tokens may do at most what the key may.' }),
    choice: ClientChoiceSchema,
    scopes: z.array(z.string()),
    resource,
    createdAt: InstantSchema,
    lastUsedAt: InstantSchema.optional().meta({ description: 'When it last got a token.' }),
  })
  .meta({ id: 'ConnectedClient' });

export type ConnectedClient = Exact<z.output<typeof ConnectedClientSchema>>;

export const ConsentSchema = z
  .strictObject({
    client: z.strictObject({
      id: z.string(),
      name: z.string(),
      host: z
        .string()
        .meta({ description: 'Whose document it is; of a registered client, where the browser goes on.' }),
      redirect: z.string().optional().meta({ description: 'Where the browser goes on; absent: a device waits.' }),
      isKnown: z.boolean().meta({ description: 'The key has connected it before.' }),
    }),
    resource,
    device: z
      .strictObject({
        code: z.string().meta({ description: 'As the device shows it.' }),
        address: z.string().meta({ description: 'From which it asked.' }),
      })
      .optional()
      .meta({ description: 'What asks has no browser of its own (RFC 8628).' }),
    offered: z
      .array(ClientChoiceSchema)
      .meta({ description: 'What the client asks for and the key may give; empty: the key may give nothing.' }),
    preset: ClientChoiceSchema,
    isRemembered: z
      .boolean()
      .meta({ description: 'Nothing has changed since the person agreed: the page need not ask.' }),
    workflows: z
      .strictObject({ names: z.array(WorkflowNameSchema), hasMore: z.boolean() })
      .meta({ description: 'Which it will reach; the first hundred names.' }),
    servers: z.array(z.string()).meta({ description: 'Which it will reach.' }),
  })
  .meta({ id: 'Consent' });

export type Consent = Exact<z.output<typeof ConsentSchema>>;

export const DecisionSchema = z
  .strictObject({ choice: ClientChoiceSchema.nullable().meta({ description: 'Null: the client gets nothing.' }) })
  .meta({ id: 'Decision' });

export const DecidedSchema = z
  .strictObject({ goOn: z.string().meta({ description: 'Where the browser goes on.' }) })
  .meta({ id: 'Decided' });
