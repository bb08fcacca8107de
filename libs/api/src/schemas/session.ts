/** Schemas of browser sessions. */
import * as z from 'zod';

import { storable } from './parameters.ts';
import { type Exact, EffectSchema, InstantSchema, WorkflowPatternSchema } from './values.ts';

/** Name of the cookie. It is HttpOnly and SameSite. */
export const sessionCookie = 'baton_session';

const credential = storable(z.string().min(1).max(512));

export const LogInSchema = z
  .union([z.strictObject({ key: credential }), z.strictObject({ code: credential })])
  .meta({ id: 'LogIn', description: 'An API key, or a code that was made with one.', writeOnly: true });

export const SessionSchema = z
  .strictObject({
    id: z.string(),
    key: z
      .strictObject({ id: z.string(), name: z.string() })
      .optional()
      .meta({ description: 'The key that logged in; absent: a person did.' }),
    person: z.strictObject({ id: z.string(), name: z.string() }).optional(),
    scopes: z.array(z.string()).meta({ description: 'What the key or the person may do; `admin`: everything.' }),
    workflows: z.array(WorkflowPatternSchema).optional().meta({ description: 'The only ones that it may use.' }),
    effects: EffectSchema.optional().meta({ description: 'The strongest effect of workflows that it may start.' }),
    expiresAt: InstantSchema.meta({ description: 'Moves on while the session is used.' }),
  })
  .meta({ id: 'Session' });

export type Session = Exact<z.output<typeof SessionSchema>>;

const named = z.strictObject({ id: z.string(), name: z.string() });

export const CallerSchema = z
  .strictObject({
    person: named
      .optional()
      .meta({ description: 'Whose rights these are; absent: those of a key that is no person’s.' }),
    key: named.optional().meta({ description: 'The key of the request, or with which a browser or a client began.' }),
    client: named.optional().meta({ description: 'The connected client whose access token the request has.' }),
    scopes: z.array(z.string()).meta({ description: 'Of all grants together; `admin`: everything.' }),
    grants: z
      .array(
        z.strictObject({
          scopes: z.array(z.string()),
          workflows: z.array(WorkflowPatternSchema).optional().meta({ description: 'Absent: all.' }),
          effects: EffectSchema.optional().meta({ description: 'The strongest of what it may start; absent: any.' }),
        }),
      )
      .meta({ description: 'What one of them allows is allowed; two never add up.' }),
    approve: z.literal('write').optional().meta({ description: 'A person approves each write at the gateway.' }),
    expiresAt: InstantSchema.optional().meta({ description: 'Of the token, the session or the key; absent: never.' }),
  })
  .meta({ id: 'Caller' });

export type Caller = Exact<z.output<typeof CallerSchema>>;

export const SessionInListSchema = z
  .strictObject({
    id: z.string(),
    key: z.strictObject({ id: z.string(), name: z.string() }).optional(),
    person: z.strictObject({ id: z.string(), name: z.string() }).optional(),
    createdAt: InstantSchema,
    expiresAt: InstantSchema,
  })
  .meta({ id: 'SessionInList' });

export type SessionInList = Exact<z.output<typeof SessionInListSchema>>;

export const LoginCodeSchema = z
  .strictObject({
    code: z.string().meta({ description: 'Shown only once. It logs in once: `/#code=` and the code.' }),
    expiresAt: InstantSchema,
  })
  .meta({ id: 'LoginCode' });
