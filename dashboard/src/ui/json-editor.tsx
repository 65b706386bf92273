/** JSON to write, with its mistakes marked where they are. */
import { useMemo } from 'react'
import { CodeEditor } from './code-editor.tsx'
import { readJson } from './read-json.ts'

interface JsonEditorProps {
  label: string
  /** The text, which may be wrong while somebody types. */
  value: string
  onChange(text: string): void
  onSubmit?(): void
  isReadOnly?: boolean
  className?: string
}

export function JsonEditor({ value, ...props }: JsonEditorProps) {
  const mistakes = useMemo(() => {
    const { mistake } = readJson(value)
    return mistake === undefined ? [] : [mistake]
  }, [value])
  return <CodeEditor {...props} language="json" value={value} mistakes={mistakes} />
}
