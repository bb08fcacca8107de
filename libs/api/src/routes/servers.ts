import { route } from '../route.ts';
import {
  ApprovalSchema,
  ApprovalsSchema,
  PromptSchema,
  ResourceSchema,
  ServerLoginSchema,
  ServerLogoutSchema,
  ServerSchema,
  TestedServerSchema,
  ToolSchema,
} from '../schemas/server.ts';
import { ByNameSchema, pageOf } from '../schemas/values.ts';
import type { Access } from '../scopes.ts';

const tag = 'Servers';
const reading: Access = ['servers:read', 'servers:approve', 'workflows:write'];
const approving: Access = ['servers:approve'];
const params = ByNameSchema;

export const serverRoutes = {
  listServers: route('listServers', {
    tag,
    summary: 'List the MCP servers',
    access: reading,
    answers: { 200: pageOf(ServerSchema) },
  }),
  getServer: route('getServer', {
    tag,
    summary: 'Show an MCP server',
    access: reading,
    params,
    answers: { 200: ServerSchema },
  }),
  listTools: route('listTools', {
    tag,
    summary: 'The tools of a server',
    access: reading,
    params,
    answers: { 200: pageOf(ToolSchema) },
  }),
  listPrompts: route('listPrompts', {
    tag,
    summary: 'The prompts of a server',
    access: reading,
    params,
    answers: { 200: pageOf(PromptSchema) },
  }),
  listResources: route('listResources', {
    tag,
    summary: 'The resources and resource templates of a server',
    access: reading,
    params,
    answers: { 200: pageOf(ResourceSchema) },
  }),
  testServer: route('testServer', {
    tag,
    summary: 'Connect to a server now, however it was doing',
    access: ['servers:approve', 'workflows:write'],
    params,
    answers: { 200: TestedServerSchema },
  }),
  loginToServer: route('loginToServer', {
    tag,
    summary: 'Begin to log in to a server that wants OAuth',
    description:
      'The address is for one login, of one person. Their browser comes back to this API; from then on every worker has a token, and keeps it fresh.',
    access: approving,
    params,
    answers: { 200: ServerLoginSchema },
  }),
  logoutOfServer: route('logoutOfServer', {
    tag,
    summary: 'Log out of a server that wants OAuth',
    description:
      'The tokens are forgotten, and taken back where the authorization server can be told (RFC 7009). Workers notice within a minute.',
    access: approving,
    params,
    answers: { 200: ServerLogoutSchema },
  }),
  approveServer: route('approveServer', {
    tag,
    summary: 'Accept the tools of a server as they are now',
    description:
      'Each deployed workflow that was checked against other tools gets a new version of the same text. Runs that have begun keep theirs.',
    access: approving,
    params,
    body: ApprovalSchema.nullish(),
    answers: { 200: ApprovalsSchema },
  }),
};
