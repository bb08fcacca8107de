/** A client of the API: all operations, grouped by resource. */
import type { OperationName } from '../operations.ts';
import {
  type AnswerTo,
  type BodyOf,
  type CallOptions,
  type CallParts,
  type QueryOf,
  call,
  callForStatus,
} from './call.ts';
import { type ConnectionOptions, Connection } from './connection.ts';
import { type AllOptions, type FilterOf, allOf, pageOf } from './listing.ts';
import { runsOf } from './runs.ts';

/** Time limit of a verification, which reads the whole database. */
const verifyMs = 30 * 60_000;

/** Time limit of operations that start MCP servers, which may be slow. */
const serverMs = 120_000;

export type Client = ReturnType<typeof createClient>;

export function createClient(options: ConnectionOptions) {
  const connection = new Connection(options);
  return {
    url: connection.url,
    /** For requests that no method below covers. */
    connection,
    /** Calls any operation by its name. */
    call: <Name extends OperationName>(name: Name, parts?: CallParts<Name>): Promise<AnswerTo<Name>> =>
      call(connection, name, parts),
    runs: runsOf(connection),
    workflows: workflowsOf(connection),
    state: stateOf(connection),
    questions: questionsOf(connection),
    polls: pollsOf(connection),
    schedules: schedulesOf(connection),
    servers: serversOf(connection),
    secrets: secretsOf(connection),
    budgets: budgetsOf(connection),
    keys: keysOf(connection),
    people: peopleOf(connection),
    sessions: sessionsOf(connection),
    clients: clientsOf(connection),
    audit: auditOf(connection),
    system: systemOf(connection),
    hooks: (query?: QueryOf<'listHooks'>, options?: CallOptions) =>
      call(connection, 'listHooks', { query, ...options }),
    /** Sums what models cost. */
    costs: (query?: QueryOf<'getCosts'>, options?: CallOptions) => call(connection, 'getCosts', { query, ...options }),
    fence: fenceOf(connection),
    isReady: (options?: CallOptions) => call(connection, 'isReady', options),
  };
}

const workflowsOf = (connection: Connection) => ({
  /** `text`: YAML or JSON. `servers`: also check against the servers that it names. */
  check: (text: string, { servers, ...options }: CallOptions & { readonly servers?: boolean } = {}) =>
    call(connection, 'checkWorkflow', {
      body: text,
      query: { servers: servers === true ? 'true' : undefined },
      ...options,
    }),
  /** `isNew` is false if the newest version already had this content. */
  deploy: async (text: string, options: CallOptions & { readonly headers?: Readonly<Record<string, string>> } = {}) => {
    const { status, answer } = await callForStatus(connection, 'deployWorkflow', { body: text, ...options });
    return { ...answer, isNew: status === 201 };
  },
  list: (query?: QueryOf<'listWorkflows'>, options?: CallOptions) =>
    pageOf(connection, 'listWorkflows', query, options),
  all: (options?: AllOptions) => allOf(connection, 'listWorkflows', undefined, options),
  get: (id: string, options?: CallOptions) => call(connection, 'getWorkflow', { params: { id }, ...options }),
  /** `version` absent: the newest. */
  version: (id: string, version?: number, options?: CallOptions) =>
    version === undefined
      ? call(connection, 'getWorkflow', { params: { id }, ...options })
      : call(connection, 'getWorkflowVersion', { params: { id, version }, ...options }),
  delete: (id: string, options?: CallOptions) => call(connection, 'deleteWorkflow', { params: { id }, ...options }),
  pause: (id: string, options?: CallOptions) => call(connection, 'pauseWorkflow', { params: { id }, ...options }),
  resume: (id: string, options?: CallOptions) => call(connection, 'resumeWorkflow', { params: { id }, ...options }),
  /** Statistics of its last 50 runs. */
  stats: (id: string, options?: CallOptions) => call(connection, 'getWorkflowStats', { params: { id }, ...options }),
});

const stateOf = (connection: Connection) => ({
  get: (id: string, options?: CallOptions) => call(connection, 'getWorkflowState', { params: { id }, ...options }),
  /** `revision`: only replace that one; 0: only where nothing was written. */
  set: (id: string, key: string, value: BodyOf<'setWorkflowState'>['value'], { revision, ...options }: Setting = {}) =>
    call(connection, 'setWorkflowState', { params: { id, key }, body: { value }, ...ifRevision(revision), ...options }),
  writes: (id: string, key: string, query?: QueryOf<'listStateWrites'>, options?: CallOptions) =>
    call(connection, 'listStateWrites', { params: { id, key }, query, ...options }),
});

type Setting = CallOptions & { readonly revision?: number | undefined };

function ifRevision(revision: number | undefined) {
  if (revision === undefined) return {};
  return { headers: revision === 0 ? { 'if-none-match': '*' } : { 'if-match': `"${revision}"` } };
}

const questionsOf = (connection: Connection) => ({
  list: (query?: QueryOf<'listQuestions'>, options?: CallOptions) =>
    pageOf(connection, 'listQuestions', query, options),
  all: (query?: FilterOf<'listQuestions'>, options?: AllOptions) => allOf(connection, 'listQuestions', query, options),
  get: (id: string, options?: CallOptions) => call(connection, 'getQuestion', { params: { id }, ...options }),
  answer: (id: string, answer: BodyOf<'answerQuestion'>['answer'], options?: CallOptions) =>
    call(connection, 'answerQuestion', { params: { id }, body: { answer }, ...options }),
});

const fenceOf = (connection: Connection) => ({
  show: (options?: CallOptions) => call(connection, 'getFence', options),
  lift: (body: BodyOf<'liftFence'>, options?: CallOptions) => call(connection, 'liftFence', { body, ...options }),
});

const pollsOf = (connection: Connection) => ({
  list: (query?: QueryOf<'listPolls'>, options?: CallOptions) => pageOf(connection, 'listPolls', query, options),
  all: (query?: FilterOf<'listPolls'>, options?: AllOptions) => allOf(connection, 'listPolls', query, options),
  get: (id: string, options?: CallOptions) => call(connection, 'getPoll', { params: { id }, ...options }),
  now: (id: string, options?: CallOptions) =>
    call(connection, 'pollNow', { params: { id }, timeoutMs: serverMs, ...options }),
  reset: (id: string, body: BodyOf<'resetPoll'>, options?: CallOptions) =>
    call(connection, 'resetPoll', { params: { id }, body, ...options }),
});

const schedulesOf = (connection: Connection) => ({
  list: (query?: QueryOf<'listSchedules'>, options?: CallOptions) =>
    pageOf(connection, 'listSchedules', query, options),
  all: (query?: FilterOf<'listSchedules'>, options?: AllOptions) => allOf(connection, 'listSchedules', query, options),
  get: (id: string, options?: CallOptions) => call(connection, 'getSchedule', { params: { id }, ...options }),
  pause: (id: string, options?: CallOptions) => call(connection, 'pauseSchedule', { params: { id }, ...options }),
  resume: (id: string, options?: CallOptions) => call(connection, 'resumeSchedule', { params: { id }, ...options }),
  trigger: (id: string, options?: CallOptions) => call(connection, 'triggerSchedule', { params: { id }, ...options }),
  backfill: (id: string, body: BodyOf<'backfillSchedule'>, options?: CallOptions) =>
    call(connection, 'backfillSchedule', { params: { id }, body, ...options }),
});

const serversOf = (connection: Connection) => {
  const named = (name: string, options?: CallOptions) => ({ params: { name }, timeoutMs: serverMs, ...options });
  return {
    list: (options?: CallOptions) => pageOf(connection, 'listServers', undefined, options),
    all: (options?: AllOptions) => allOf(connection, 'listServers', undefined, options),
    get: (name: string, options?: CallOptions) => call(connection, 'getServer', { params: { name }, ...options }),
    stats: (name: string, options?: CallOptions) =>
      call(connection, 'getServerStats', { params: { name }, ...options }),
    tools: (name: string, options?: CallOptions) => call(connection, 'listTools', { params: { name }, ...options }),
    prompts: (name: string, options?: CallOptions) => call(connection, 'listPrompts', { params: { name }, ...options }),
    resources: (name: string, options?: CallOptions) =>
      call(connection, 'listResources', { params: { name }, ...options }),
    test: (name: string, options?: CallOptions) => call(connection, 'testServer', named(name, options)),
    login: (name: string, options?: CallOptions) => call(connection, 'loginToServer', named(name, options)),
    logout: (name: string, options?: CallOptions) => call(connection, 'logoutOfServer', named(name, options)),
    logins: (options?: CallOptions) => call(connection, 'listLogins', options),
    approve: (name: string, body: NonNullable<BodyOf<'approveServer'>>, options?: CallOptions) =>
      call(connection, 'approveServer', { body, ...named(name, options) }),
  };
};

const secretsOf = (connection: Connection) => ({
  list: (query?: QueryOf<'listSecrets'>, options?: CallOptions) => pageOf(connection, 'listSecrets', query, options),
  all: (options?: AllOptions) => allOf(connection, 'listSecrets', undefined, options),
  get: (name: string, options?: CallOptions) => call(connection, 'getSecret', { params: { name }, ...options }),
  /** `set`: the value, or a value, the workflows that may use it and the servers that may receive it. */
  set: (name: string, set: string | BodyOf<'setSecret'>, options?: CallOptions) =>
    call(connection, 'setSecret', {
      params: { name },
      body: typeof set === 'string' ? { value: set } : set,
      ...options,
    }),
  /** Rejects with `ProblemError` (`precondition-failed`) if a secret of this name exists. */
  create: (name: string, body: BodyOf<'setSecret'>, options?: CallOptions) =>
    call(connection, 'setSecret', { params: { name }, body, headers: { 'if-none-match': '*' }, ...options }),
  delete: (name: string, options?: CallOptions) => call(connection, 'deleteSecret', { params: { name }, ...options }),
});

const budgetsOf = (connection: Connection) => ({
  /** With what is used of each. */
  list: (options?: CallOptions) => call(connection, 'listBudgets', options),
  set: (name: string, body: BodyOf<'setBudget'>, options?: CallOptions) =>
    call(connection, 'setBudget', { params: { name }, body, ...options }),
  remove: (name: string, options?: CallOptions) => call(connection, 'removeBudget', { params: { name }, ...options }),
});

const keysOf = (connection: Connection) => ({
  list: (query?: QueryOf<'listKeys'>, options?: CallOptions) => pageOf(connection, 'listKeys', query, options),
  all: (options?: AllOptions) => allOf(connection, 'listKeys', undefined, options),
  get: (id: string, options?: CallOptions) => call(connection, 'getKey', { params: { id }, ...options }),
  /** Only this answer contains the key's text. */
  create: (body: BodyOf<'createKey'>, options?: CallOptions) => call(connection, 'createKey', { body, ...options }),
  revoke: (id: string, options?: CallOptions) => call(connection, 'revokeKey', { params: { id }, ...options }),
});

const peopleOf = (connection: Connection) => ({
  list: (query?: QueryOf<'listPeople'>, options?: CallOptions) => pageOf(connection, 'listPeople', query, options),
  all: (options?: AllOptions) => allOf(connection, 'listPeople', undefined, options),
  get: (id: string, options?: CallOptions) => call(connection, 'getPerson', { params: { id }, ...options }),
  add: (body: BodyOf<'addPerson'>, options?: CallOptions) => call(connection, 'addPerson', { body, ...options }),
  remove: (id: string, options?: CallOptions) => call(connection, 'removePerson', { params: { id }, ...options }),
  restore: (id: string, options?: CallOptions) => call(connection, 'restorePerson', { params: { id }, ...options }),
  /** A code that logs the person in once. */
  link: (id: string, options?: CallOptions) => call(connection, 'createPersonLink', { params: { id }, ...options }),
  grant: (id: string, body: BodyOf<'grantRole'>, options?: CallOptions) =>
    call(connection, 'grantRole', { params: { id }, body, ...options }),
  revoke: (id: string, grant: string, options?: CallOptions) =>
    call(connection, 'revokeGrant', { params: { id, grant }, ...options }),
  roles: (options?: CallOptions) => call(connection, 'listRoles', options),
});

const systemOf = (connection: Connection) => ({
  workers: (options?: CallOptions) => call(connection, 'listWorkers', options),
  drain: (worker: string, options?: CallOptions) =>
    call(connection, 'drainWorker', { params: { id: worker }, ...options }),
  queue: (options?: CallOptions) => call(connection, 'getQueue', options),
  settings: (options?: CallOptions) => call(connection, 'listSettings', options),
});

const sessionsOf = (connection: Connection) => ({
  /** In a browser: the answer sets the cookie for later requests. */
  logIn: (credential: BodyOf<'logIn'>, options?: CallOptions) =>
    call(connection, 'logIn', { body: credential, ...options }),
  get: (options?: CallOptions) => call(connection, 'getSession', options),
  /** Who calls, through what, and what they may do. */
  whoAmI: (options?: CallOptions) => call(connection, 'whoAmI', options),
  logOut: (options?: CallOptions) => call(connection, 'logOut', options),
  /** Creates a code with which a browser logs in once, as the key of this client. */
  createCode: (options?: CallOptions) => call(connection, 'createLoginCode', options),
  all: (options?: AllOptions) => allOf(connection, 'listSessions', undefined, options),
  end: (id: string, options?: CallOptions) => call(connection, 'endSession', { params: { id }, ...options }),
});

const clientsOf = (connection: Connection) => ({
  all: (options?: AllOptions) => allOf(connection, 'listClients', undefined, options),
  disconnect: (id: string, options?: CallOptions) =>
    call(connection, 'disconnectClient', { params: { id }, ...options }),
  /** For the page of a browser that an authorization server sent there. */
  consent: (id: string, options?: CallOptions) => call(connection, 'getConsent', { params: { id }, ...options }),
  decide: (id: string, body: BodyOf<'decideConsent'>, options?: CallOptions) =>
    call(connection, 'decideConsent', { params: { id }, body, ...options }),
});

const auditOf = (connection: Connection) => ({
  list: (query?: QueryOf<'listAuditEntries'>, options?: CallOptions) =>
    pageOf(connection, 'listAuditEntries', query, options),
  all: (query?: FilterOf<'listAuditEntries'>, options?: AllOptions) =>
    allOf(connection, 'listAuditEntries', query, options),
  verify: (body: BodyOf<'verifyAudit'> = {}, options?: CallOptions) =>
    call(connection, 'verifyAudit', { body, timeoutMs: verifyMs, ...options }),
  /** All calls of runs, page after page. */
  calls: (query?: FilterOf<'listAuditCalls'>, options?: AllOptions) =>
    allOf(connection, 'listAuditCalls', query, options),
  /** The public key for verifying exports. */
  key: (options?: CallOptions) => call(connection, 'getAuditKey', options),
  retention: (options?: CallOptions) => call(connection, 'getRetention', options),
  /** Streams NDJSON. */
  export: async (options: CallOptions & { readonly unsealed?: boolean } = {}): Promise<ReadableStream<Uint8Array>> => {
    const query = options.unsealed === true ? { unsealed: true } : {};
    const response = await connection.open('/v1/audit/export', { query, signal: options.signal });
    return response.body ?? new ReadableStream();
  },
});
