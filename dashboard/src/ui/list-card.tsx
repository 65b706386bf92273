/** A list in its card, with filters above and a file to take away. */
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { CsvButton } from './csv-button.tsx'
import { type Column, DataTable, type Selection } from './data-table.tsx'
import { Empty } from './empty.tsx'
import { FilterBar, type FilterChoice } from './filter-bar.tsx'
import { Card } from './page.tsx'
import type { Filters } from './use-filters.ts'
import type { Rows } from './use-rows.ts'

interface ListCardProps<Row, Name extends string> {
  /** What the rows are, in words and for the file: "Dead letters", dead-letters.csv. */
  label: string
  list: Rows<Row>
  columns: Column<Row>[]
  idOf(row: Row): string
  linkOf?(row: Row): string
  onOpen?(row: Row): void
  onKey?(key: string, row: Row): void
  selection?: Selection
  filters?: Filters<Name>
  choices?: FilterChoice<Name>[]
  search?: { name: Name; placeholder: string }
  /** A search field of the page's own instead. */
  searchField?: ReactNode
  /** Filters of another form, after the others. */
  moreFilters?: ReactNode
  /** Whether the page makes its own file instead of a CSV of the columns. */
  hasOwnFile?: boolean
  /** Buttons at the right of the filters. */
  actions?: ReactNode
  /** Shown when there is nothing at all; when only nothing matches, that is said instead. */
  empty: ReactNode
}

export function ListCard<Row, Name extends string = never>(props: ListCardProps<Row, Name>) {
  const {
    filters,
    choices = [],
    search,
    searchField,
    moreFilters,
    hasOwnFile = false,
    actions,
    empty,
    ...table
  } = props
  const csv = !hasOwnFile && (
    <CsvButton
      name={props.label.toLowerCase().replaceAll(' ', '-')}
      columns={props.columns}
      list={props.list}
    />
  )
  const isBare = filters === undefined && props.list.rows?.length === 0
  return (
    <Card isFlush>
      {filters ? (
        <FilterBar
          filters={filters}
          choices={choices}
          {...(search && { search })}
          searchField={searchField}
          more={moreFilters}
        >
          {actions}
          {csv}
        </FilterBar>
      ) : (
        !isBare && (
          <div className="flex items-center justify-end gap-2 border-b border-border p-2">
            {actions}
            {csv}
          </div>
        )
      )}
      <DataTable
        {...table}
        empty={
          filters?.isAny ? (
            <Empty
              title="Nothing matches"
              text="Nothing is left with these filters."
              action={<Button onClick={filters.clear}>Clear filters</Button>}
            />
          ) : (
            empty
          )
        }
      />
    </Card>
  )
}
