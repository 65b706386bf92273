/** Before and after, field by field. */
import { classes } from './classes.ts'
import { changesBetween, sayValue } from './field-changes.ts'

interface FieldDiffProps {
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

const CELL = 'px-2 py-1 align-top font-mono text-code break-words whitespace-pre-wrap'

export function FieldDiff({ before, after }: FieldDiffProps) {
  const changes = changesBetween(before, after)
  if (changes.length === 0) return <p className="text-muted">It has no values to compare.</p>
  const hasBoth = before !== null && after !== null
  return (
    <div className="overflow-x-auto rounded-control border border-border">
      <table aria-label="What changed" className="w-full table-fixed border-collapse text-left">
        <thead>
          <tr className="border-b border-border bg-bg text-sm text-muted">
            <th scope="col" className="w-1/3 px-2 py-1 font-medium">
              Field
            </th>
            {(hasBoth || after === null) && (
              <th scope="col" className="px-2 py-1 font-medium">
                {hasBoth ? 'From' : 'Value'}
              </th>
            )}
            {(hasBoth || before === null) && (
              <th scope="col" className="px-2 py-1 font-medium">
                {hasBoth ? 'To' : 'Value'}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {changes.map(change => (
            <tr key={change.field} className="border-b border-border last:border-0">
              <th scope="row" className="px-2 py-1 align-top font-normal break-words">
                {change.field}
              </th>
              {(hasBoth || after === null) && (
                <Value value={change.before} className={hasBoth && 'bg-bad-soft'} />
              )}
              {(hasBoth || before === null) && (
                <Value value={change.after} className={hasBoth && 'bg-ok-soft'} />
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Value({ value, className }: { value: unknown; className: string | false }) {
  const isNothing = value === undefined || value === null || value === ''
  return (
    <td dir="auto" className={classes(CELL, className, isNothing && 'text-muted')}>
      {sayValue(value)}
    </td>
  )
}
