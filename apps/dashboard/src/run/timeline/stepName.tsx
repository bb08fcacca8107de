interface StepNameProps {
  readonly path: string;
  readonly label: string;
  readonly status: string;
  readonly onStep: (path: string) => void;
}

/** The name of a step, which opens its panel. */
export function StepName({ path, label, status, onStep }: StepNameProps) {
  return (
    <button
      type="button"
      className="t-name cut"
      title={path}
      onClick={(event) => {
        event.stopPropagation();
        onStep(path);
      }}
    >
      {label}
      <span className="sr">, {status}</span>
    </button>
  );
}
