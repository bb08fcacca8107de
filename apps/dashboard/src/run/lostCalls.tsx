/** What a person knows of calls whose answers were lost: a retry makes those again that did not happen. */
import type { BodyOf, RepeatedCall, RerunResult } from '@baton/api/client';
import { saidSentence } from '@baton/engine';
import { type Json, defined } from '@baton/primitives';
import { useState } from 'react';

import { JsonField } from '../parts/jsonField.tsx';

export type Told = NonNullable<NonNullable<BodyOf<'retryRun'>>['told']>;

type SeenCall = Partial<Pick<RepeatedCall, 'target' | 'said'>>;

interface LostCallsProps {
  readonly again: RerunResult['again'] | undefined;
  readonly told: Told;
  readonly onTold: (told: Told) => void;
}

/** Nothing where no answer was lost. */
export function LostCalls({ again, told, onTold }: LostCallsProps) {
  // One that happened is not among the calls to repeat any more.
  const [seen, setSeen] = useState<ReadonlyMap<string, SeenCall>>(new Map());
  const shown = new Map<string, SeenCall>([
    ...seen,
    ...told.map(({ path }) => [path, seen.get(path) ?? {}] as const),
    ...(again ?? []).filter(({ mayBeTold }) => mayBeTold === true).map((one) => [one.path, one] as const),
  ]);
  if (shown.size === 0) return null;
  return (
    <fieldset className="lost-calls">
      <legend className="label">Did they happen? Their answers were lost.</legend>
      {[...shown].map(([path, { target, said }]) => (
        <LostCall
          key={path}
          path={path}
          {...defined({ target })}
          {...defined({ said })}
          told={told.find((one) => one.path === path)}
          onTold={(next) => {
            setSeen(shown);
            onTold([...told.filter((one) => one.path !== path), ...(next === undefined ? [] : [next])]);
          }}
        />
      ))}
    </fieldset>
  );
}

interface LostCallProps extends SeenCall {
  readonly path: string;
  readonly told: Told[number] | undefined;
  readonly onTold: (told: Told[number] | undefined) => void;
}

const words = { '': 'Not known', yes: 'It happened', no: 'It did not' } as const;

function choiceOf(told: Told[number] | undefined): keyof typeof words {
  if (told === undefined) return '';
  return told.happened ? 'yes' : 'no';
}

function LostCall({ path, target, said, told, onTold }: LostCallProps) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const onText = (next: string): void => {
    setText(next);
    const answer = answerIn(next);
    setProblem(answer === undefined ? 'This is not JSON.' : undefined);
    if (answer !== undefined) onTold({ path, happened: true, ...answer });
  };
  return (
    <div className="col">
      <label className="row">
        <span className="breaks grow">
          {path} <span className="faint">{target}</span>
        </span>
        <select
          className="input short"
          value={choiceOf(told)}
          aria-label={`What is known of ${path}`}
          onChange={({ target: { value } }) => onTold(value === '' ? undefined : { path, happened: value === 'yes' })}
        >
          {Object.entries(words).map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </select>
      </label>
      {said !== undefined && <p className="small">{saidSentence({ ...said, at: Date.parse(said.at) }, Date.now())}.</p>}
      {told?.happened === true && (
        <JsonField
          label="What it answered, if later steps read it"
          rows={2}
          text={text}
          problem={problem}
          onText={onText}
        />
      )}
    </div>
  );
}

/** Undefined: it is no JSON. */
function answerIn(text: string): Pick<Told[number], 'output'> | undefined {
  if (text.trim() === '') return {};
  try {
    return { output: JSON.parse(text) as Json };
  } catch {
    return undefined;
  }
}
