import { route } from '../route.ts';
import {
  ApprovalSchema,
  ApprovalsSchema,
  AwaitedLoginSchema,
  PromptSchema,
  ResourceSchema,
  ServerLoginSchema,
  ServerLogoutSchema,
  ServerSchema,
  ServerStatsSchema,
  TestedServerSchema,
  ToolsSchema,
} from '../schemas/server.ts';
import { ByNameSchema, pageOf } from '../schemas/values.ts';
import type { Access } from '../scopes.ts';

const tag = 'Servers';
const reading = ['servers:read', 'servers:approve', 'workflows:write'] as const satisfies Access;
const approving = ['servers:approve'] as const satisfies Access;
/** Where people have logins of their own, each has the rights to theirs; else the operation asks for `servers:approve`. */
const loggingIn = ['servers:approve', 'workflows:write', 'runs:write'] as const satisfies Access;
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
  getServerStats: route('getServerStats', {
    tag,
    summary: 'Show statistics of an MCP server: sessions, breaker, calls of its tools',
    access: reading,
    params,
    answers: { 200: ServerStatsSchema },
  }),
  listTools: route('listTools', {
    tag,
    summary: 'List the tools of a server',
    access: reading,
    params,
    answers: { 200: ToolsSchema },
  }),
  listPrompts: route('listPrompts', {
    tag,
    summary: 'List the prompts of a server',
    access: reading,
    params,
    answers: { 200: pageOf(PromptSchema) },
  }),
  listResources: route('listResources', {
    tag,
    summary: 'List the resources and resource templates of a server',
    access: reading,
    params,
    answers: { 200: pageOf(ResourceSchema) },
  }),
  testServer: route('testServer', {
    tag,
    summary: 'Test the connection to a server',
    access: ['servers:approve', 'workflows:write'],
    params,
    answers: { 200: TestedServerSchema },
  }),
  loginToServer: route('loginToServer', {
    tag,
    summary: 'Start an OAuth login to a server',
    description:
      'The address is valid for one login of one person. Their browser returns to this API. After that all workers have a token, and refresh it. Where people have logins of their own (`"per": "person"`), it is that of the person who asks; else it takes `servers:approve`.',
    access: loggingIn,
    params,
    answers: { 200: ServerLoginSchema },
  }),
  logoutOfServer: route('logoutOfServer', {
    tag,
    summary: 'Log out of a server with OAuth',
    description:
      'Baton deletes the tokens, and revokes them if the authorization server supports it (RFC 7009). Workers stop using them within a minute. Where people have logins of their own, they are those of the person who asks; else it takes `servers:approve`.',
    access: loggingIn,
    params,
    answers: { 200: ServerLogoutSchema },
  }),
  listLogins: route('listLogins', {
    tag,
    summary: 'List the logins that runs wait for',
    description:
      'Those of the person who asks, at servers where people have logins of their own (`"per": "person"`), the one that is waited for longest first. `loginToServer` starts a login; the runs then go on by themselves.',
    access: loggingIn,
    answers: { 200: pageOf(AwaitedLoginSchema) },
  }),
  approveServer: route('approveServer', {
    tag,
    summary: 'Accept the current tools of a server',
    description:
      'Each deployed workflow that was checked against other tools gets a new version with the same text. Started runs keep their version. Without `preview` it needs the `digest` of a preview.',
    access: approving,
    params,
    body: ApprovalSchema.nullish(),
    answers: { 200: ApprovalsSchema },
  }),
};
