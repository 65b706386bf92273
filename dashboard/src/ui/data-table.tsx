/** Every list: the same table, the same keys, the same ways to wait, to fail and to be empty. */
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, useRef } from 'react'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import { Problem } from './problem.tsx'
import { Skeleton } from './skeleton.tsx'
import { useKeys } from './use-keys.ts'
import type { Rows } from './use-rows.ts'

export interface Column<Row> {
  title: string
  cell(row: Row): ReactNode
  /** For the file; without it, the column is not in it. */
  csv?(row: Row): string | number | boolean | null | undefined
  /** Numbers stand at the right. */
  isNumber?: boolean
  /** Left out where there is little room. */
  from?: 'md' | 'lg' | 'xl'
  /** Such as w-40; the widest column has none. */
  width?: string
}

export interface Selection {
  ids: ReadonlySet<string>
  toggle(id: string): void
  toggleAll(ids: string[]): void
}

interface DataTableProps<Row> {
  label: string
  list: Rows<Row>
  columns: Column<Row>[]
  idOf(row: Row): string
  /** Where a row leads, as a path within the dashboard. */
  linkOf?(row: Row): string
  onOpen?(row: Row): void
  /** More keys on a row, such as r for replay. */
  onKey?(key: string, row: Row): void
  selection?: Selection
  empty: ReactNode
}

/** On a phone every pixel between two columns is one that a name lacks. */
const CELL = 'px-2 first:pl-3 last:pr-3 md:px-3 md:first:pl-4 md:last:pr-4'

const FROM = { md: 'max-md:hidden', lg: 'max-lg:hidden', xl: 'max-xl:hidden' } as const

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, list, columns, idOf, linkOf, onOpen, onKey, selection, empty } = props
  const navigate = useNavigate()
  const body = useRef<HTMLTableSectionElement>(null)
  const opens = linkOf !== undefined || onOpen !== undefined
  // From anywhere else on the page, the key leads into the list, to where somebody was.
  useKeys(opens ? { j: () => body.current?.querySelector<HTMLElement>('tr[tabindex="0"]')?.focus() } : {})
  if (list.error && list.rows === undefined) return <Problem error={list.error} onRetry={list.retry} />
  if (list.rows?.length === 0) return <>{empty}</>

  const open = (row: Row) => {
    if (linkOf) void navigate({ to: linkOf(row) })
    else onOpen?.(row)
  }
  const keys = (event: KeyboardEvent<HTMLTableRowElement>, row: Row) => {
    if (event.target !== event.currentTarget || event.metaKey || event.ctrlKey || event.altKey) return
    if (event.key === 'Enter') open(row)
    else if (event.key === 'x' && selection) selection.toggle(idOf(row))
    else if (!move(body.current, event.currentTarget, event.key)) {
      // A key that is held down moves on, but does nothing twice.
      if (!event.repeat) onKey?.(event.key, row)
      return
    }
    event.preventDefault()
  }
  return (
    <div className="flex min-w-0 flex-col">
      <div className="overflow-x-clip">
        <table
          aria-label={label}
          aria-busy={list.rows === undefined}
          className="w-full table-fixed border-collapse text-left"
        >
          <thead className="sticky top-12 z-10 bg-surface shadow-[inset_0_-1px_var(--border)]">
            <tr>
              {selection && (
                <th className="w-9 pl-3">
                  <input
                    type="checkbox"
                    aria-label="Select all"
                    className="size-4 align-middle accent-accent"
                    checked={list.rows?.every(row => selection.ids.has(idOf(row))) ?? false}
                    onChange={() => selection.toggleAll(list.rows?.map(idOf) ?? [])}
                  />
                </th>
              )}
              {columns.map(({ title, isNumber, from, width }) => (
                <th
                  key={title}
                  scope="col"
                  className={classes(
                    'cut h-9 text-sm font-medium text-muted',
                    CELL,
                    isNumber && 'text-right',
                    from && FROM[from],
                    width,
                  )}
                >
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody ref={body}>
            {list.rows === undefined
              ? Array.from({ length: 8 }, (_, i) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: rows that are not there yet have nothing else
                  <tr key={i} className="h-[2.375rem] border-b border-border last:border-0">
                    {selection && <td />}
                    {columns.map(({ title, from }) => (
                      <td key={title} className={classes(CELL, from && FROM[from])}>
                        <Skeleton className="h-3.5 w-3/4" />
                      </td>
                    ))}
                  </tr>
                ))
              : list.rows.map((row, i) => (
                  <tr
                    key={idOf(row)}
                    tabIndex={opens ? (i === 0 ? 0 : -1) : undefined}
                    onKeyDown={event => keys(event, row)}
                    onClick={event => {
                      // What can be pressed inside a row does its own thing, and selected text is not a click.
                      const isOther = (event.target as Element).closest('a, button, input, label')
                      if (opens && !isOther && getSelection()?.isCollapsed !== false) open(row)
                    }}
                    className={classes(
                      'h-[2.375rem] border-b border-border outline-offset-[-2px] last:border-0 hover:bg-hover',
                      opens && 'cursor-pointer',
                      selection?.ids.has(idOf(row)) && 'bg-accent-soft',
                    )}
                  >
                    {selection && (
                      <td className="pl-3">
                        <input
                          type="checkbox"
                          aria-label="Select"
                          className="size-4 align-middle accent-accent"
                          checked={selection.ids.has(idOf(row))}
                          onChange={() => selection.toggle(idOf(row))}
                        />
                      </td>
                    )}
                    {columns.map(({ title, cell, isNumber, from }) => (
                      <td
                        key={title}
                        className={classes(
                          'cut py-1',
                          CELL,
                          isNumber && 'tabular text-right',
                          from && FROM[from],
                        )}
                      >
                        {cell(row)}
                      </td>
                    ))}
                  </tr>
                ))}
          </tbody>
        </table>
      </div>
      {list.hasMore && (
        <div className="flex justify-center border-t border-border p-2">
          <Button kind="quiet" isBusy={list.isLoadingMore} onClick={list.loadMore}>
            Load more
          </Button>
        </div>
      )}
    </div>
  )
}

/** j and k and the arrows go through the rows. */
function move(body: HTMLElement | null, from: HTMLElement, key: string): boolean {
  const step = key === 'j' || key === 'ArrowDown' ? 1 : key === 'k' || key === 'ArrowUp' ? -1 : 0
  if (step === 0 || body === null) return false
  const rows = [...body.querySelectorAll<HTMLElement>('tr')]
  const next = rows[rows.indexOf(from) + step]
  if (next === undefined) return true
  from.tabIndex = -1
  next.tabIndex = 0
  next.focus()
  return true
}
