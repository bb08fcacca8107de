/**
 * The limits that users meet, each with its unit in its name (invariant I7). They hold for every installation; a limit
 * that an operator can change is a setting, and a limit of one technology is a constant of the room that applies it.
 */
export const limits = {
  document: {
    bytes: 512 * 1024,
    depth: 64,
    keysPerMap: 5_000,
    /** Words and marks of YAML, usually four characters each; reading so many takes about 60 ms. */
    tokens: 50_000,
    steps: 500,
    stepDepth: 16,
    triggers: 32,
    /** Entries of one `ensure`. */
    ensures: 32,
    /** Instructions of the regular expressions in all expressions of a file; about 100 ms. */
    patternsSize: 20_000,
    /** Of all expressions of a file; about 60 ms. */
    expressionParts: 25_000,
    /**
     * Elementary operations of all expressions of a file that read nothing, which the check evaluates; about 200 ms.
     */
    constantsCost: 2_000_000,
    /** The same for one such expression, in checks that need its value only for a hint. */
    constantCost: 1_000,
    titleCharacters: 200,
    descriptionCharacters: 8_000,
    /** Reported for one file. */
    findings: 50,
  },
  /** A recorded run, as `baton test` reads it. */
  recording: {
    bytes: 16 * 1024 * 1024,
  },
  schedule: {
    characters: 256,
    catchUpMs: 31 * 24 * 3_600_000,
    /** The longest interval of `every`. */
    everyMs: 366 * 24 * 3_600_000,
  },
  /** What a trigger reads again and again. */
  poll: {
    everyMsMin: 10_000,
    /** Runs that one poll starts; what is new besides waits for the next. */
    runs: 1_000,
    /** Unfinished runs; beyond this the server is not asked, and keeps what is new. */
    runsUnfinished: 10_000,
    /** Items that one answer may have. */
    items: 50_000,
    /** Keys of items that are remembered, besides those of the newest answer. */
    keys: 100_000,
    keepMsMin: 24 * 3_600_000,
    keepMs: 366 * 24 * 3_600_000,
    keyCharacters: 1_024,
  },
  runTrigger: {
    /** Ends in a row. */
    after: 100,
    waitingMsMin: 10_000,
  },
  expression: {
    characters: 4_096,
    nodes: 500,
    nesting: 64,
    /** Elementary operations in one evaluation; about 100 ms on a slow core. */
    cost: 1_000_000,
    listItems: 100_000,
    textCharacters: 4 * 1024 * 1024,
    /** Instructions of all regular expressions of one expression; about 50 ms. */
    patternSize: 10_000,
  },
  schema: {
    bytes: 64 * 1024,
    depth: 32,
    keywords: 400,
    patternCharacters: 1_024,
    /** Instructions of one regular expression; about 20 ms to make. */
    patternSize: 4_000,
    /** Of all in a schema. */
    patternsSize: 10_000,
    /** Schemas applied and errors kept in one validation; about 50 ms at worst. */
    cost: 2_500_000,
  },
  run: {
    inputsBytes: 1024 * 1024,
    tags: 32,
    tagCharacters: 256,
    ageMs: 366 * 24 * 3_600_000,
    /** Journal entries of one run. */
    events: 1_000_000,
    depth: 8,
    /** Signals that no step has taken yet. */
    signals: 1_000,
    /** Runs that wait for a worker; beyond this only child runs are accepted. */
    queued: 100_000,
    /** Of one `concurrency` key. */
    concurrent: 10_000,
  },
  /** What a workflow remembers between its runs. */
  state: {
    /** Of all keys and values together, as canonical JSON. */
    bytes: 64 * 1024,
    /** Old values that are kept of each key. */
    history: 100,
  },
  /** What the workflows of a project share: the built-in server `kv`. */
  kv: {
    /** Of one value, as JSON. */
    valueBytes: 64 * 1024,
    keyCharacters: 256,
    /** Of one project. */
    keys: 10_000,
    /** Keys of one page. */
    page: { usual: 100, most: 1_000 },
  },
  /** A client at the gateway: its calls are the steps of one run. */
  session: {
    /** After so long without a call, a session ends. */
    idleMs: 30 * 60_000,
    /** Calls of one session; the next begins another. */
    calls: 2_000,
    /** The client's name for its session. */
    nameCharacters: 128,
  },
  /**
   * Of one API key, or of a schedule or a hook, which ask for runs by themselves; unless the key has limits of its own.
   */
  key: {
    /** Unfinished runs; beyond this, starts are refused. */
    runs: 100_000,
    /** Of all `forEach` steps of one run, with those of its child runs. */
    items: 100_000,
    /** Of workflows: checking, deploying and starting from a text. */
    checksPerMinute: 600,
  },
  step: {
    attempts: 100,
    items: 10_000,
    maxParallel: 256,
    iterations: 10_000,
    /** Reads of one entry of `ensure`, retries excluded. */
    ensureReads: 1_000,
    /** Longest single wait between two attempts. */
    retryDelayMs: 24 * 3_600_000,
    timeoutMs: 7 * 24 * 3_600_000,
    waitMs: 366 * 24 * 3_600_000,
    signalCharacters: 128,
  },
  value: {
    /** Levels of lists and maps in what comes from outside a run. */
    depth: 100,
    /** The same for values that the expressions of a workflow make. */
    madeDepth: 500,
    /** Larger values go to a blob; the event keeps digest, size and preview. */
    inlineBytes: 64 * 1024,
    previewCharacters: 400,
    /** The largest result of one call that is kept. */
    resultBytes: 16 * 1024 * 1024,
  },
  catalogue: {
    /** After so long, a server's offers are read again, even if it reported no change. */
    ageMs: 5 * 60_000,
    /** A list that is not older serves all runs that go on after a wait. */
    sharedMs: 5_000,
  },
  progress: {
    /** At most one progress event per attempt and interval is recorded. */
    intervalMs: 500,
    messageCharacters: 500,
  },
  secret: {
    /** A shorter secret cannot be distinguished from other text, and so cannot be removed. In UTF-16 units. */
    charactersMin: 6,
  },
  failure: {
    messageCharacters: 4_000,
    /** Of what a server answered with an error, which the journal keeps beside the message. */
    detailsCharacters: 64 * 1024,
  },
} as const;
