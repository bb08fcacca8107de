/** Sets a budget of a day or a month. */
import type { Budget, BodyOf } from '@baton/api/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { client } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNote, Warning } from '../parts/notes.tsx';

type Unit = Budget['limits'][number]['unit'];

const unitLabels: Readonly<Record<Unit, string>> = {
  usd: 'Dollars that models may cost',
  tokens: 'Tokens of models, in and out',
  writes: 'Calls that write',
  runs: 'Runs that are accepted',
};

const units = Object.keys(unitLabels) as Unit[];

interface SetBudgetDialogProps {
  /** Those that there are: one with the same name is replaced. */
  readonly budgets: readonly Budget[];
  readonly onClose: () => void;
}

export function SetBudgetDialog({ budgets, onClose }: SetBudgetDialogProps) {
  const cache = useQueryClient();
  const [name, setName] = useState('');
  const [on, setOn] = useState('');
  const [per, setPer] = useState<Budget['per']>('month');
  const [amounts, setAmounts] = useState<Partial<Record<Unit, string>>>({});
  const limits = units.flatMap((unit) => (amounts[unit]?.trim() ? [[unit, Number(amounts[unit])] as const] : []));
  const body: BodyOf<'setBudget'> = { on: on.trim(), per, ...Object.fromEntries(limits) };
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => client.budgets.set(name.trim(), body),
    onSuccess: ({ warning }) => {
      void cache.invalidateQueries({ queryKey: ['budgets'] });
      if (warning === undefined) onClose();
    },
  });
  const isWhole = name.trim() !== '' && on.trim() !== '' && limits.length > 0;
  const isReplaced = budgets.some((one) => one.name === name.trim());
  return (
    <Dialog
      title="Set a budget"
      onClose={onClose}
      footer={
        data?.warning === undefined ? (
          <Button look="main" isBusy={isPending} disabled={!isWhole} onClick={() => mutate()}>
            {isReplaced ? 'Replace' : 'Set'}
          </Button>
        ) : (
          <Button look="main" onClick={onClose}>
            Close
          </Button>
        )
      }
    >
      {data?.warning === undefined ? (
        <>
          <TextField label="Name" value={name} onText={setName} isFirst />
          <TextField label="Workflows, as payments/* or *" value={on} onText={setOn} />
          <label className="field">
            <span className="label">Each (in UTC)</span>
            <select className="input short" value={per} onChange={({ target }) => setPer(perOf(target.value))}>
              <option value="day">day</option>
              <option value="month">month</option>
            </select>
          </label>
          {units.map((unit) => (
            <TextField
              key={unit}
              label={unitLabels[unit]}
              value={amounts[unit] ?? ''}
              isNumber
              onText={(text) => setAmounts({ ...amounts, [unit]: text })}
            />
          ))}
          {isReplaced && (
            <Warning>There is a budget {name.trim()}: this one takes its place, with all its limits.</Warning>
          )}
        </>
      ) : (
        <Warning>The budget is set. {data.warning}</Warning>
      )}
      <ProblemNote error={error} />
    </Dialog>
  );
}

const perOf = (text: string): Budget['per'] => (text === 'day' ? 'day' : 'month');

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onText: (text: string) => void;
  readonly isFirst?: boolean;
  readonly isNumber?: boolean;
}

const TextField = ({ label, value, onText, isFirst = false, isNumber = false }: TextFieldProps) => (
  <label className="field">
    <span className="label">{label}</span>
    <input
      className="input"
      autoFocus={isFirst}
      maxLength={100}
      value={value}
      {...(isNumber && { type: 'number', min: 0, placeholder: 'no limit' })}
      onChange={({ target }) => onText(target.value)}
    />
  </label>
);
