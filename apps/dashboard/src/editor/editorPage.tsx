/** The editor: checks the workflow as the author types, against the tools of the live servers. */
import { servesWorkflow, workflowNamedIn } from '@baton/language';
import { memo, useCallback, useDeferredValue, useRef, useState } from 'react';

import { useWorkflow } from '../api/queries.ts';
import { Button } from '../parts/button.tsx';
import { GraphSkeleton, GraphView } from '../parts/graph/graphView.tsx';
import { serverOf } from '../parts/graph/serverOf.ts';
import { ProblemNote, Skeleton } from '../parts/notes.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { toastError } from '../parts/toast.tsx';
import { PageHead } from '../shell/pageHead.tsx';
import { checker } from './checker.ts';
import type { Findings } from './checkerCalls.ts';
import { type EditorHandle, CodeEditor } from './codeEditor.tsx';
import { DeployDialog } from './deployDialog.tsx';
import { firstText, keepDraft, newDraft, readDraft } from './drafts.ts';
import { ExpressionTab } from './expressionTab.tsx';
import { FindingList } from './findingList.tsx';
import { ToolDrawer } from './toolDrawer.tsx';
import { TryDialog } from './tryDialog.tsx';
import { useFindings } from './useFindings.ts';
import { useKnownWorld } from './useKnownWorld.ts';

import './editor.css';

export function EditorPage({ id }: { readonly id?: string }) {
  const { data, error } = useWorkflow(id);
  const draft = readDraft(id ?? newDraft);
  if (id === undefined) return <Editor id={undefined} before="" first={draft ?? firstText} />;
  if (data === undefined) {
    return (
      <>
        <PageHead title={id} />
        {error === null ? <Skeleton /> : <ProblemNote error={error} />}
      </>
    );
  }
  return <Editor id={id} before={data.source} first={draft ?? data.source} />;
}

interface EditorProps {
  readonly id: string | undefined;
  /** The newest version; empty for a new workflow. */
  readonly before: string;
  readonly first: string;
}

type Open = 'deploy' | 'try' | undefined;

function Editor({ id, before, first }: EditorProps) {
  const [text, setText] = useState(first);
  const { known, servers, isReading } = useKnownWorld();
  const { findings, isOfKnown, check } = useFindings(first, known);
  const [open, setOpen] = useState<Open>();
  const handle = useRef<EditorHandle>(null);
  const isChanged = text !== before;
  const workflow = workflowNamedIn(text) ?? '';
  const onChange = (next: string): void => {
    setText(next);
    keepDraft(id ?? newDraft, next === before ? undefined : next);
  };
  const format = async (): Promise<void> => handle.current?.replace(await checker.format(text));
  const errors = findings?.diagnostics.filter(({ severity }) => severity === 'error').length ?? 0;
  return (
    <>
      <PageHead
        title={id ?? 'New workflow'}
        actions={
          <>
            {isChanged && id !== undefined && (
              <Button look="quiet" onClick={() => handle.current?.replace(before)}>
                Discard the draft
              </Button>
            )}
            <Button onClick={() => void format().catch(toastError)}>Format</Button>
            <Button disabled={errors > 0} onClick={() => setOpen('try')}>
              Try…
            </Button>
            <Button look="main" disabled={errors > 0 || !isChanged} onClick={() => setOpen('deploy')}>
              Deploy…
            </Button>
          </>
        }
      >
        {isChanged && <span className="chip">draft, kept in this browser</span>}
      </PageHead>
      <div className="editor">
        <div className="editor-left">
          <CodeEditor
            text={first}
            known={known}
            findings={findings}
            onTyped={check}
            onChange={onChange}
            onSave={() => setOpen('deploy')}
            handle={handle}
          />
          <FindingList
            findings={findings}
            isOfKnown={isOfKnown}
            reading={serversOf(findings?.graph).filter(isReading)}
            onShow={(span) => handle.current?.show(span)}
          />
        </div>
        <Side id={id} workflow={workflow} findings={findings} servers={servers} isReading={isReading} handle={handle} />
      </div>
      {open === 'deploy' && findings !== undefined && (
        <DeployDialog id={id} before={before} text={text} findings={findings} onClose={() => setOpen(undefined)} />
      )}
      {open === 'try' && <TryDialog text={text} onClose={() => setOpen(undefined)} />}
    </>
  );
}

interface SideProps {
  readonly id: string | undefined;
  /** As the text names it. */
  readonly workflow: string;
  readonly findings: Findings | undefined;
  readonly servers: ReturnType<typeof useKnownWorld>['servers'];
  readonly isReading: ReturnType<typeof useKnownWorld>['isReading'];
  readonly handle: React.RefObject<EditorHandle | null>;
}

const tabs = [
  { name: 'graph', label: 'Graph' },
  { name: 'tools', label: 'Servers and tools' },
  { name: 'expression', label: 'Expression' },
] as const;

/** Names of the servers that the workflow calls. */
const serversOf = (graph: Findings['graph'] | undefined): string[] => [
  ...new Set((graph?.nodes ?? []).flatMap((node) => serverOf(node) ?? [])),
];

const topSteps = (graph: Findings['graph'] | undefined): string[] =>
  (graph?.nodes ?? []).flatMap(({ kind, id, parent }) =>
    kind === 'trigger' || id === undefined || parent !== undefined ? [] : [id],
  );

/** The findings come first: the graph may follow a moment later. */
const Side = memo(function Side({ id, workflow, findings, servers, isReading, handle }: SideProps) {
  const [view, setView] = useState<'graph' | 'tools' | 'expression'>('graph');
  const [expression, setExpression] = useState<string>();
  const graph = useDeferredValue(findings?.graph);
  const latest = useRef(graph);
  latest.current = graph;
  const onChoose = useCallback(
    (pointer: string): void => {
      const span = latest.current?.nodes.find((node) => node.pointer === pointer)?.span;
      if (span !== undefined) handle.current?.show(span);
    },
    [handle],
  );
  const choose = (next: typeof view): void => {
    if (next === 'expression') setExpression(handle.current?.expression());
    setView(next);
  };
  return (
    <div className="editor-side">
      <Tabs label="Beside the text" tabs={tabs} chosen={view} onChoose={choose} />
      {view === 'graph' &&
        (graph === undefined ? (
          <GraphSkeleton />
        ) : (
          <GraphView graph={graph} isReading={isReading} onChoose={onChoose} />
        ))}
      {view === 'tools' && (
        <ToolDrawer
          servers={servers.filter(({ allow }) => servesWorkflow(allow, workflow))}
          onInsert={(step) => handle.current?.insertStep(step)}
        />
      )}
      {view === 'expression' && <ExpressionTab workflow={id} steps={topSteps(graph)} first={expression} />}
    </div>
  );
});
