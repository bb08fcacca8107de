/** Workflows of the names that the conformance suite calls. */

/** What a step's call answered is the workflow's answer. */
const handsOn = (tool: string, content: readonly object[]): string =>
  JSON.stringify({
    workflow: tool.replaceAll('_', '-'),
    on: [{ tool: { name: tool } }],
    steps: [{ id: 'made', tool: 'work/malformed', with: { result: { content } } }],
    outputs: { content: '${{ steps.made.content }}' },
  });

const asks = (tool: string, question: object, said: string, inputs: object = {}): string =>
  JSON.stringify({
    workflow: tool.replaceAll('_', '-'),
    on: [{ tool: { name: tool } }],
    inputs,
    steps: [question],
    outputs: { content: [{ type: 'text', text: said }] },
  });

const tool = (name: string, inputs: object = {}): object => ({
  workflow: name.replaceAll('_', '-'),
  on: [{ tool: { name } }],
  inputs,
});

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const silence = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

const text = (said: string): object => ({ type: 'text', text: said });
const image = { type: 'image', data: pixel, mimeType: 'image/png' };
const embedded = {
  uri: 'test://embedded-resource',
  mimeType: 'text/plain',
  text: 'This is an embedded resource content.',
};
const mixed = {
  uri: 'test://mixed-content-resource',
  mimeType: 'application/json',
  text: '{"test":"data","value":123}',
};

export const fixtures: readonly string[] = [
  handsOn('test_simple_text', [text('This is a simple text response for testing.')]),
  handsOn('test_image_content', [image]),
  handsOn('test_audio_content', [{ type: 'audio', data: silence, mimeType: 'audio/wav' }]),
  handsOn('test_embedded_resource', [{ type: 'resource', resource: embedded }]),
  handsOn('test_multiple_content_types', [
    text('Multiple content types test:'),
    image,
    { type: 'resource', resource: mixed },
  ]),
  JSON.stringify({
    workflow: 'test-error-handling',
    on: [{ tool: { name: 'test_error_handling' } }],
    steps: [{ tool: 'work/fail', with: { message: 'This tool intentionally returns an error for testing' } }],
  }),
  JSON.stringify({
    workflow: 'test-tool-with-progress',
    on: [{ tool: { name: 'test_tool_with_progress' } }],
    // The suite wants three reports. Events that are read together make one, so the tool takes its time.
    steps: [{ id: 'slow', tool: 'work/slow', with: { ms: 1_500, steps: 6 } }],
    outputs: { content: '${{ steps.slow.content }}' },
  }),
  asks(
    'test_elicitation',
    {
      id: 'user',
      ask: '${{ inputs.message }}',
      form: {
        username: { type: 'string', description: "User's response" },
        email: { type: 'string', description: "User's email address" },
      },
    },
    'User response: ${{ json(steps.user.output) }}',
    { message: { type: 'string' } },
  ),
  asks(
    'test_elicitation_sep1034_defaults',
    {
      id: 'user',
      ask: 'Who are you?',
      form: {
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      },
    },
    'Elicitation completed: action=accept, content=${{ json(steps.user.output) }}',
  ),
  asks(
    'test_elicitation_sep1330_enums',
    {
      id: 'user',
      ask: 'Choose',
      form: {
        untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
        titledSingle: {
          type: 'string',
          oneOf: [
            { const: 'value1', title: 'First Option' },
            { const: 'value2', title: 'Second Option' },
            { const: 'value3', title: 'Third Option' },
          ],
        },
        legacyEnum: {
          type: 'string',
          enum: ['opt1', 'opt2', 'opt3'],
          enumNames: ['Option One', 'Option Two', 'Option Three'],
        },
        untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
        titledMulti: {
          type: 'array',
          items: {
            anyOf: [
              { const: 'value1', title: 'First Choice' },
              { const: 'value2', title: 'Second Choice' },
              { const: 'value3', title: 'Third Choice' },
            ],
          },
        },
      },
    },
    'Elicitation completed: action=accept, content=${{ json(steps.user.output) }}',
  ),
  ...['elicitation', 'request_state', 'tampered_state'].map((what) =>
    asks(
      `test_input_required_result_${what}`,
      {
        id: what === 'elicitation' ? 'user_name' : 'confirm',
        ask: 'What is your name?',
        form: what === 'elicitation' ? { name: { type: 'string' } } : { ok: { type: 'boolean' } },
      },
      what === 'elicitation'
        ? 'Hello, ${{ steps.user_name.output.name }}!'
        : 'state-ok ${{ json(steps.confirm.output) }}',
    ),
  ),
  JSON.stringify({
    workflow: 'test-input-required-result-multi-round',
    on: [{ tool: { name: 'test_input_required_result_multi_round' } }],
    steps: [
      { id: 'step1', ask: 'Step 1: What is your name?', form: { name: { type: 'string' } } },
      { id: 'step2', ask: 'Step 2: What is your favorite color?', form: { color: { type: 'string' } } },
    ],
    outputs: { content: [text('${{ steps.step1.output.name }} likes ${{ steps.step2.output.color }}')] },
  }),
  asks(
    'test_sampling',
    { id: 'said', sample: { append: '${{ inputs.prompt }}', maxTokens: 100, via: 'caller' } },
    'LLM response: ${{ steps.said.text }}',
    { prompt: { type: 'string' } },
  ),
  ...['sampling', 'capabilities'].map((what) =>
    asks(
      `test_input_required_result_${what}`,
      {
        id: 'capital_question',
        sample: { append: 'What is the capital of France?', maxTokens: 100, via: 'caller' },
      },
      '${{ steps.capital_question.text }}',
    ),
  ),
];

/** Longer than a client that speaks of tasks is kept waiting. */
const aWhile = { id: 'while', tool: 'work/slow', with: { ms: 1_500 } };
const yes = { confirm: { type: 'boolean' } };

/** For the extension `io.modelcontextprotocol/tasks`. */
export const taskFixtures: readonly string[] = [
  {
    ...tool('greet', { name: { type: 'string', default: 'World' } }),
    steps: [{ id: 'done', set: { name: '${{ inputs.name }}' } }],
    outputs: { content: [text('Hello, ${{ inputs.name }}!')] },
  },
  {
    ...tool('slow_compute', { seconds: { type: 'integer' }, label: { type: 'string', default: '' } }),
    steps: [{ ...aWhile, with: { ms: '${{ inputs.seconds * 1000 + 1000 }}' } }],
    outputs: { content: [text('computed ${{ inputs.label }}')] },
  },
  { ...tool('failing_job'), steps: [aWhile, { tool: 'work/fail', with: { message: 'It does not work out.' } }] },
  {
    ...tool('confirm_delete', { filename: { type: 'string', default: '' } }),
    steps: [aWhile, { id: 'sure', ask: 'Delete ${{ inputs.filename }}?', form: yes }],
    outputs: { content: [text('deleted: ${{ steps.sure.output.confirm }}')] },
  },
  {
    ...tool('multi_input'),
    steps: [
      aWhile,
      {
        parallel: [
          { id: 'one', ask: 'And you?', form: { ...yes, name: { type: 'string' } } },
          { id: 'other', ask: 'And you there?', form: { ...yes, name: { type: 'string' } } },
        ],
      },
    ],
    outputs: { content: [text('${{ steps.one.output.name }} and ${{ steps.other.output.name }}')] },
  },
  {
    ...tool('test_tool_with_task'),
    steps: [{ id: 'user_name', ask: 'What is your name?', form: { name: { type: 'string' } } }, aWhile],
    outputs: { content: [text('Hello, ${{ steps.user_name.output.name }}!')] },
  },
].map((workflow) => JSON.stringify(workflow));
