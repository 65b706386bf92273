/** Saving a form: one at a time, the errors at their fields, the rest above the form. */
import { CarillonError } from '@carillon/sdk'
import { useMemo, useRef, useState } from 'react'
import { wordsOf } from '../app/api.ts'

export interface Saving<Value> {
  /** Resolves to what was saved, or undefined if it was refused. */
  save(value: Value): Promise<boolean>
  isBusy: boolean
  /** The error of a field, by its name in the API; `config.host` or `secrets.password` for those inside. */
  errorOf(field: string): string | undefined
  /** What is wrong apart from the fields that the form shows. */
  problem: string | undefined
  /** Errors within a text, such as a script: to be marked in its editor. */
  mistakes: { line: number; column?: number; message: string }[]
  clear(): void
}

/** An error of something inside a field, such as one of several headers, is shown at the field. */
const isAt = (field: string, name: string): boolean => field === name || field.startsWith(`${name}.`)

/** `fields` are those that the form shows an error at; errors of any other are said above it. */
export function useSave<Value>(
  action: (value: Value) => Promise<unknown>,
  fields: readonly string[] = [],
): Saving<Value> {
  const [isBusy, setBusy] = useState(false)
  const isRunning = useRef(false)
  const [error, setError] = useState<unknown>()
  const errors = error instanceof CarillonError ? error.errors : []
  const mistakes = useMemo(
    () =>
      (error instanceof CarillonError ? error.errors : []).flatMap(({ line, column, message }) =>
        line === undefined ? [] : [{ line, message, ...(column !== undefined && { column }) }],
      ),
    [error],
  )
  const elsewhere = errors.filter(({ field }) => !fields.some(name => isAt(field, name)))
  return {
    isBusy,
    errorOf: name => {
      const found = errors.find(({ field }) => isAt(field, name))
      if (found === undefined || found.field === name) return found?.message
      return `${found.field.slice(name.length + 1)}: ${found.message}`
    },
    problem:
      error === undefined
        ? undefined
        : elsewhere.length > 0
          ? elsewhere.map(({ field, message }) => `${field}: ${message}`).join(' ')
          : errors.length > 0
            ? undefined
            : wordsOf(error),
    mistakes,
    clear: () => setError(undefined),
    async save(value) {
      // A key that is held down, or Ctrl-S after the button: the button alone cannot refuse these.
      if (isRunning.current) return false
      isRunning.current = true
      setBusy(true)
      setError(undefined)
      try {
        await action(value)
        return true
      } catch (thrown) {
        setError(thrown)
        return false
      } finally {
        isRunning.current = false
        setBusy(false)
      }
    },
  }
}
