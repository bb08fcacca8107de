/**
 * Every finding there is: what `baton check`, REST and editors report, as one table.
 * docs/reference/findings.md is generated from it. A code never changes its meaning.
 */
type FindingGroup = 'The file' | 'Its form' | 'Steps' | 'Expressions' | 'Schemas and values' | 'Triggers' | 'Servers';

interface FindingSpec {
  readonly severity: 'error' | 'warning';
  readonly group: FindingGroup;
  readonly means: string;
  /** The part of a file that gets this finding. */
  readonly example: string;
}

const spec =
  (severity: FindingSpec['severity']) =>
  (group: FindingGroup, means: string, example: string): FindingSpec => ({ severity, group, means, example });

const error = spec('error');
const warning = spec('warning');

const file = 'The file';
const form = 'Its form';
const steps = 'Steps';
const expressions = 'Expressions';
const schemas = 'Schemas and values';
const triggers = 'Triggers';
const servers = 'Servers';

export const findingCodes = {
  'empty-document': error(file, 'There is nothing in the file, or only comments.', '# soon'),
  'too-large': error(file, 'The file, a map or the number of steps is beyond a limit.', 'a file of 600 KB'),
  'too-deep': error(file, 'Lists and maps, or steps, are nested beyond a limit.', '[[[[…]]]]'),
  'yaml-syntax': error(file, 'The text is not YAML.', 'title: "half a text'),
  'yaml-tab': error(file, 'A tab stands where YAML wants spaces.', 'steps:⇥- set: {}'),
  'yaml-indent': error(file, 'A line is indented so that it belongs to nothing.', 'a: 1\n  b: 2'),
  'yaml-documents': error(file, 'The file holds more than one YAML document.', '---'),
  'yaml-anchor': error(file, 'Anchors are not allowed.', 'with: &args { a: 1 }'),
  'yaml-alias': error(file, 'Aliases are not allowed.', 'with: *args'),
  'yaml-merge': error(file, 'Merge keys are not allowed.', '<<: { a: 1 }'),
  'yaml-tag': error(file, 'Tags are not allowed.', 'tool: !ENV TOOL'),
  'yaml-directive': error(file, 'YAML directives are not allowed.', '%YAML 1.1'),
  'duplicate-key': error(file, 'A key stands twice in one map.', 'title: a\ntitle: b'),
  'duplicate-workflow': error(
    file,
    'Another file of the folder has the same workflow.',
    'two files with `workflow: scan`',
  ),
  'forbidden-key': error(file, 'A key could change what JavaScript objects are.', '__proto__: {}'),
  'key-not-text': error(file, 'A key is a list or a map.', '? [a, b]'),
  'invalid-text': error(file, 'A text holds NUL, or half a surrogate pair.', '"\\ud800"'),
  'number-too-large': error(file, 'An integer is too large to be exact in JSON.', 'id: 12345678901234567890'),
  'number-not-finite': error(file, 'A number is infinite, or none at all.', 'temperature: .inf'),
  'expression-unquoted': error(
    file,
    'An expression inside `{ }` or `[ ]` stands without quotes.',
    'with: { url: ${{ inputs.url }} }',
  ),

  'key-without-value': warning(
    file,
    'A key inside `{ }` has no value: most often a text with a comma was cut in two.',
    'with: { text: Hello, world }',
  ),

  'unknown-key': error(form, 'There is no such key at this place.', 'stpes: []'),
  'missing-key': error(form, 'A key that is needed is not there.', 'a workflow without `steps`'),
  'wrong-type': error(form, 'A value is of another kind than the key takes.', 'steps: none'),
  'wrong-value': error(form, 'A value is not among those that the key takes.', 'effect: writes'),
  'out-of-range': error(form, 'A number, a duration or a list is too small or too large.', 'retry: { attempts: 0 }'),
  'bad-name': error(form, 'A name is not spelled as such names are.', 'workflow: Nightly Report'),
  'bad-duration': error(form, 'A duration is not written as a number and a unit.', 'timeout: 30 seconds'),
  'bad-instant': error(form, 'A point in time is not written as in RFC 3339.', 'wait: { until: tomorrow }'),
  'missing-verb': error(form, 'A step has no verb.', '- id: scan'),
  'two-verbs': error(form, 'A step has more than one verb.', '- tool: a/b\n  prompt: a/c'),
  'key-not-for-verb': error(form, 'A key belongs to steps with other verbs.', '- set: {}\n  retry: { attempts: 2 }'),
  'key-misplaced': error(form, 'A key means nothing at this place.', '`needs` outside `parallel`'),
  'conflicting-keys': error(
    form,
    'Keys stand side by side that exclude each other.',
    'repeat: { max: 3, until: a, while: b }',
  ),
  'conflicting-values': error(form, 'Two values cannot both be so.', 'timeout: { idle: 2m, total: 1m }'),
  'unused-key': warning(form, 'A key has no effect, for want of another.', '`onExpire` without `expires`'),
  'expression-misplaced': error(
    form,
    'An expression stands where the value must be known before the run.',
    'timeout: ${{ inputs.timeout }}',
  ),

  'duplicate-id': error(
    steps,
    'Two steps that could both be meant have the same id.',
    'two steps with `id: scan` in one list',
  ),
  'shadowed-id': warning(
    steps,
    'A step inside hides one of the same id outside.',
    '`id: scan` inside and outside a forEach',
  ),
  'reserved-name': error(steps, 'A name means something else already.', 'as: inputs'),
  'unknown-step': error(steps, 'An expression reads a step that is not there.', '${{ steps.scna.output }}'),
  'step-not-run-yet': error(
    steps,
    'An expression reads a step that has not run when it is evaluated.',
    'reading a step further down',
  ),
  'step-not-visible': error(
    steps,
    'An expression reads a step that lies in another scope.',
    'reading a step of a forEach from outside',
  ),
  'step-may-not-have-run': warning(
    steps,
    'The step is missing where the run failed before it.',
    '${{ steps.scan.output }} in `finally`',
  ),
  'unknown-need': error(steps, '`needs` names a step that is not a sibling.', 'needs: [bulid]'),
  'needs-cycle': error(steps, 'Steps wait for each other, so none can start.', 'a needs b, b needs a'),
  'unreachable-case': error(steps, 'A case, or a handler, can never be chosen.', '`else` before a `when`'),
  'unreachable-step': warning(steps, 'No run gets to this step.', 'a step after `fail`'),
  'not-a-list': error(steps, '`forEach` is given something that is no list.', 'forEach: steps.repos.output'),
  'calls-itself': error(steps, 'A workflow runs itself, without end.', 'workflow: the name of the file’s own workflow'),
  'undo-not-kept': warning(
    steps,
    'An item of a distributed `forEach` that has succeeded is not undone any more.',
    'forEach: [1, 2]\ndistribute: true\nsteps: [{ tool: a/b, undo: { tool: a/c } }]',
  ),
  'write-in-race': warning(
    steps,
    'A write is in a race: it may happen, in whole or in part, although another step wins.',
    'parallel: [{ tool: mail/send }, { tool: chat/post }]\nuntil: first',
  ),
  'unknown-failure-code': warning(steps, '`match` names a code that no failure has.', 'match: [timed-out]'),

  'expression-syntax': error(expressions, 'The text is not CEL.', 'a = b'),
  'expression-unclosed': error(expressions, 'A `${{` has no `}}`.', '"${{ inputs.a"'),
  'expression-empty': error(expressions, 'There is nothing between the braces.', '${{ }}'),
  'not-an-expression': warning(
    expressions,
    'A text looks like an expression of another tool, and stays as it is.',
    '"Hello {{ inputs.name }}"',
  ),
  'expression-braces': error(expressions, 'A condition is bare CEL, without `${{ }}`.', 'if: ${{ inputs.a }}'),
  'expression-too-large': error(
    expressions,
    'An expression is too long, or nests too deep.',
    'an expression of 5,000 characters',
  ),
  'expression-type': error(expressions, 'An operation cannot work on values of these kinds.', '"a" - 1'),
  'expression-arguments': error(expressions, 'A function is not called like this.', 'join()'),
  'expression-fails': error(expressions, 'An expression without variables fails.', '1 / 0'),
  'unknown-function': error(expressions, 'There is no function of this name.', 'lenght(x)'),
  'unknown-name': error(expressions, 'There is nothing of this name at this place.', 'input.org'),
  'unknown-field': error(expressions, 'A value has no such key.', 'inputs.ogr'),
  'computed-reference': error(expressions, 'Steps and secrets are named where they are read.', 'steps[inputs.which]'),
  'secret-misplaced': error(
    expressions,
    'A secret stands elsewhere than in the `with` of a tool.',
    'if: secrets.KEY != ""',
  ),
  'secret-computed': error(
    expressions,
    'Something is computed from a secret, which is not there yet.',
    '${{ sha256(secrets.KEY) }}',
  ),
  'secret-of-webhook': error(
    expressions,
    'A secret with which a webhook is signed is given to a tool: who learns it can start runs.',
    '${{ secrets.CI_HOOK }}',
  ),
  'invalid-pattern': error(expressions, 'A regular expression is not one of RE2.', '(?=a)'),
  'may-be-missing': warning(
    expressions,
    'A key may not be there, and the expression fails then.',
    'reading an optional input',
  ),
  'never-equal': warning(
    expressions,
    'Two values are never equal: their kinds differ, or one is not among those that the other can have.',
    'inputs.count == "3"',
  ),
  'undeclared-field': warning(
    expressions,
    'A schema lists the keys of a value, and this is none of them.',
    'steps.issues.output.titel',
  ),

  'schema-invalid': error(schemas, 'A schema is not a JSON Schema.', 'minLength: one'),
  'schema-keyword': error(schemas, 'JSON Schema has no such keyword.', 'minLenght: 1'),
  'schema-type': error(schemas, 'JSON Schema has no such type.', 'type: int'),
  'schema-refused': error(schemas, 'A schema is too large, or refers to others elsewhere.', '$ref: https://…'),
  'default-invalid': error(schemas, 'A default does not fit its own schema.', '{ type: integer, default: many }'),
  'value-invalid': error(
    schemas,
    'A value does not fit the schema that it is for.',
    'an `onExpire` that does not fit the `form`',
  ),

  'cron-syntax': error(triggers, 'A schedule is not cron of five or six fields.', 'schedule: "60 * * * *"'),
  'cron-never': error(triggers, 'A schedule never fires.', 'schedule: "0 0 31 2 *"'),
  'cron-every-second': warning(triggers, 'A schedule fires every second.', 'schedule: "* * * * * *"'),
  'unknown-time-zone': error(triggers, 'There is no such IANA time zone.', 'timezone: Mars/Phobos'),
  'duplicate-trigger': error(triggers, 'Two triggers cannot be told apart.', 'two webhooks of one name'),
  'unknown-input': error(
    triggers,
    'A trigger gives an input that the workflow does not have.',
    'inputs: { ogr: acme }',
  ),
  'trigger-inputs': warning(
    triggers,
    'A run started by this lacks an input that it needs.',
    'a schedule without `inputs`',
  ),

  'unknown-server': error(servers, 'No server of that name is configured.', 'tool: gihub/create_issue'),
  'unknown-tool': error(servers, 'The server has no such tool.', 'tool: github/create_isue'),
  'unknown-prompt': error(servers, 'The server has no such prompt.', 'prompt: playbook/reprot'),
  'unknown-argument': error(
    servers,
    'A tool, a prompt, a template or a workflow has no such argument.',
    'with: { titel: New }',
  ),
  'missing-argument': error(servers, 'An argument that is needed is not given.', 'a tool without its `path`'),
  'argument-type': error(
    servers,
    'What is computed for an argument is of another kind than it takes.',
    'with: { path: "${{ 1 + 1 }}" }',
  ),
  'unknown-resource': error(
    servers,
    'The server lists no resource template that this can be.',
    'uri: wiki://polices/{name}',
  ),
  'unlisted-resource': warning(
    servers,
    'The server lists no such resource; it may still have it.',
    'uri: wiki://polices/scan',
  ),
  'tool-changed': warning(
    servers,
    'A tool is no longer what the version before was checked against.',
    'an argument that is needed now',
  ),
  'unknown-secret': warning(servers, 'No secret of that name is stored yet.', 'secret: CI_HOKO'),
  'secret-bound-elsewhere': error(
    servers,
    'A secret is bound to other workflows, or to other servers.',
    '${{ secrets.GITHUB_TOKEN }} in the `with` of `mail/send`',
  ),
  'unknown-workflow': warning(servers, 'No such workflow, or version of it, is deployed yet.', 'workflow: scan@7'),
  'effect-understated': warning(
    servers,
    'The step’s `effect` promises more than the tool’s annotations or the server configuration: a write could happen twice.',
    '`effect: read` on a tool with `destructiveHint: true`',
  ),
  'words-reach-write': warning(
    servers,
    'Words of another server, of an event or of a model reach a destructive call, and no person is asked between.',
    'the text of an issue in the `with` of `mail/delete`',
  ),
  assumed: warning(
    servers,
    'The server cannot be asked now, and what is used of it could not be checked.',
    'a server that does not start',
  ),
} satisfies Record<string, FindingSpec>;

export type FindingCode = keyof typeof findingCodes;

export const severityOf = (code: FindingCode): FindingSpec['severity'] => findingCodes[code].severity;
