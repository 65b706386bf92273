/** Runs what stands in the editor with a sample event. Nothing of it is done. */
import type { ScriptEventKind, ScriptTest } from '@carillon/contract'
import { FlaskConical } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { CodeEditor } from '../../ui/code-editor.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Card } from '../../ui/page.tsx'
import { Notice } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { sayDuration } from '../../ui/time.tsx'
import { useSave } from '../../ui/use-save.ts'
import { Effects } from './effects.tsx'
import { RunLog } from './run-log.tsx'
import { sampleText } from './sample-events.ts'
import { EVENT_KINDS, FAILURES } from './script-words.ts'

interface TestPanelProps {
  /** Runs the text with an event. */
  run(event: Record<string, unknown>): Promise<ScriptTest>
  onResult(result: ScriptTest | undefined): void
  result: ScriptTest | undefined
  refusal: string | false
}

const KINDS = Object.keys(EVENT_KINDS) as ScriptEventKind[]

export function TestPanel({ run, result, onResult, refusal }: TestPanelProps) {
  const [kind, setKind] = useState<ScriptEventKind>('invoke')
  const [text, setText] = useState(() => sampleText('invoke'))
  const testing = useSave(async () => {
    onResult(undefined)
    onResult(await run(JSON.parse(text) as Record<string, unknown>))
  })
  const start = () => void testing.save(undefined)
  return (
    <Card
      title="Test run"
      actions={
        <Button size="small" kind="primary" isBusy={testing.isBusy} refusal={refusal} onClick={start}>
          <FlaskConical size={14} aria-hidden="true" />
          Run
        </Button>
      }
    >
      <div className="flex min-w-0 flex-col gap-3">
        <p className="text-muted">
          Runs the text in the editor, saved or not. Nothing is sent or stored; you see what it would do.
        </p>
        <Field label="Event">
          <Select
            value={kind}
            onChange={event => {
              const chosen = event.target.value as ScriptEventKind
              setKind(chosen)
              setText(sampleText(chosen))
            }}
          >
            {KINDS.map(each => (
              <option key={each} value={each}>
                {EVENT_KINDS[each]}
              </option>
            ))}
          </Select>
        </Field>
        <CodeEditor
          label="Sample event"
          language="json"
          value={text}
          onChange={setText}
          onSubmit={start}
          className="max-h-56"
        />
        {testing.problem && <Notice tone="bad">{testing.problem}</Notice>}
        {result && <TestResult result={result} />}
      </div>
    </Card>
  )
}

function TestResult({ result }: { result: ScriptTest }) {
  const { status, failure_kind, error, duration_ms, cpu_ms, logs, effects } = result
  return (
    <div role="status" className="flex min-w-0 flex-col gap-3 border-t border-border pt-3">
      <div className="flex flex-wrap items-center gap-2">
        <Status status={status} />
        <span className="text-muted tabular">
          {sayDuration(duration_ms)}, {sayDuration(cpu_ms)} of the processor
        </span>
      </div>
      {error && (
        <Notice tone="bad">
          {failure_kind && `${FAILURES[failure_kind]}. `}
          <span className="block font-mono text-code">{error}</span>
        </Notice>
      )}
      <h3 className="font-medium">Log</h3>
      <RunLog lines={logs} />
      <h3 className="font-medium">What it would do</h3>
      <Effects effects={effects} />
      <h3 className="font-medium">Result</h3>
      <JsonView value={result.result} />
    </div>
  )
}
