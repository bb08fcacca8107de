import { type FindingSpec, inWords, part, specsOf } from './findingSpec.ts';

const { error, warning } = specsOf('Servers');

export const serverFindings = {
  'unknown-server': error('No server of that name is configured.', '- tool: gihub/search', '- tool: github/search'),
  'unknown-tool': error('The server has no such tool.', '- tool: github/serach', '- tool: github/search'),
  'unknown-prompt': error(
    'The server has no such prompt.',
    part`
      - prompt: github/reprot
        with: { audience: all }`,
    part`
      - prompt: github/report
        with: { audience: all }`,
  ),
  'unknown-argument': error(
    'A tool, a prompt, a template or a workflow has no such argument.',
    part`
      - tool: github/create_issue
        with: { title: The build fails, bdoy: Since today. }`,
    part`
      - tool: github/create_issue
        with: { title: The build fails, body: Since today. }`,
  ),
  'missing-argument': error(
    'An argument that is needed is not given.',
    part`
      - tool: github/create_issue
        with: { body: Since today. }`,
    part`
      - tool: github/create_issue
        with: { title: The build fails, body: Since today. }`,
  ),
  'argument-type': error(
    'What is computed for an argument is of another kind than it takes.',
    part`
      - tool: github/create_issue
        with: { title: "\${{ inputs.count }}" }`,
    part`
      - tool: github/create_issue
        with: { title: "Number \${{ inputs.count }}" }`,
  ),
  'argument-may-be-null': warning(
    'What is computed for an argument can be null, which the argument does not take.',
    part`
      inputs: { note: { type: [string, "null"] } }
      steps:
        - tool: github/create_issue
          with: { title: News, body: "\${{ inputs.note }}" }`,
    part`
      inputs: { note: { type: [string, "null"] } }
      steps:
        - tool: github/create_issue
          with:
            title: News
            body: "\${{ inputs.note == null ? 'None.' : inputs.note }}"`,
  ),
  'unknown-resource': error(
    'The server lists no resource template that this can be.',
    part`
      - resource: github
        uri: wiki://pgae/{name}
        with: { name: home }`,
    part`
      - resource: github
        uri: wiki://page/{name}
        with: { name: home }`,
  ),
  'unlisted-resource': warning(
    'The server lists no such resource; it may still have it.',
    part`
      - resource: github
        uri: wiki://idnex`,
    part`
      - resource: github
        uri: wiki://index`,
  ),
  'tool-changed': inWords(
    warning(
      'A tool is no longer what the version before was checked against.',
      'an argument that the tool needs now, and that the step does not give',
      'the step with that argument, and the workflow deployed again',
    ),
  ),
  'stored-state-unfit': inWords(
    warning(
      'What earlier runs have left in the state does not fit the type that the workflow declares now.',
      'a key of `state` that is `string` now, and whose stored value is a number',
      'the key under another name, or a type that takes the number, too',
    ),
  ),
  'unknown-secret': warning(
    'No secret of that name is stored yet.',
    'on: [{ webhook: ci, secret: CI_HOKO }]',
    'on: [{ webhook: ci, secret: CI_HOOK }]',
  ),
  'secret-bound-elsewhere': error(
    'A secret is bound to other servers.',
    part`
      - tool: mail/send
        with: { token: "\${{ secrets.GITHUB_TOKEN }}" }`,
    part`
      - tool: github/search
        with: { token: "\${{ secrets.GITHUB_TOKEN }}" }`,
  ),
  'unknown-workflow': warning(
    'No such workflow, or version of it, is deployed yet.',
    part`
      - workflow: scan@7
        with: { url: "https://example.com" }`,
    part`
      - workflow: scan@1
        with: { url: "https://example.com" }`,
  ),
  'effect-understated': warning(
    'The step’s `effect` promises more than the tool’s annotations or the server configuration: a write could happen twice.',
    part`
      - tool: mail/purge
        effect: read`,
    part`
      - tool: mail/purge
        effect: write`,
  ),
  'ensure-writes': error(
    'What `ensure` calls may write; it must only read.',
    part`
      - tool: github/create_issue
        with: { title: News, body: Since today. }
        ensure: [{ tool: mail/purge, that: result.text != "" }]`,
    part`
      - tool: github/create_issue
        with: { title: News, body: Since today. }
        ensure: [{ tool: github/search, that: result.text != "" }]`,
  ),
  'ensure-ignores-result': warning(
    'The condition of an `ensure` does not read what was found.',
    part`
      - tool: github/create_issue
        with: { title: News, body: Since today. }
        ensure: [{ tool: github/search, that: inputs.count > 0 }]`,
    part`
      - tool: github/create_issue
        with: { title: News, body: Since today. }
        ensure: [{ tool: github/search, that: result.text != "" }]`,
  ),
  'check-writes': warning(
    'What a `check` calls may write; it must only read.',
    part`
      - tool: github/create_issue
        with: { title: News, body: Since today. }
        ifUnknown: check
        check: { tool: mail/purge, happened: result.text != "" }`,
    part`
      - tool: github/create_issue
        with: { title: News, body: Since today. }
        ifUnknown: check
        check: { tool: github/search, happened: result.text != "" }`,
  ),
  'declared-check-unusable': warning(
    'The `check` that `mcp.json` declares for a tool does not fit its server.',
    part`
      - tool: mail/label`,
    part`
      - tool: mail/label
        ifUnknown: ask`,
  ),
  'no-declared-undo': error(
    '`undo: declared` is of a tool for which `mcp.json` declares no `undo`.',
    part`
      - tool: github/create_issue
        with: { title: News, body: Since today. }
        undo: declared`,
    part`
      - tool: github/create_issue
        with: { title: News, body: Since today. }
        undo: { tool: mail/send }`,
  ),
  'words-reach-write': warning(
    'Words of another server, of an event or of a model reach a destructive call, and no person is asked between.',
    part`
      - id: mails
        tool: mail/inbox
      - tool: github/create_issue
        with: { title: "\${{ steps.mails.text }}" }`,
    part`
      - id: mails
        tool: mail/inbox
      - id: sure
        ask: Open an issue about \${{ steps.mails.text }}?
        form: { yes: { type: boolean } }
      - if: steps.sure.output.yes
        tool: github/create_issue
        with: { title: "\${{ steps.mails.text }}" }`,
  ),
  assumed: inWords(
    warning(
      'The server cannot be asked now, and what is used of it could not be checked.',
      'a server that does not start',
      'the same file, checked while the server runs',
    ),
  ),
} satisfies Record<string, FindingSpec>;
