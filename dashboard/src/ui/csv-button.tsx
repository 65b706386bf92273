import { Download } from 'lucide-react'
import { useState } from 'react'
import { wordsOf } from '../app/api.ts'
import { Button } from './button.tsx'
import { downloadCsv, MOST_ROWS } from './csv.ts'
import type { Column } from './data-table.tsx'
import { toast } from './toasts.tsx'
import type { Rows } from './use-rows.ts'

export function CsvButton<Row>({
  name,
  columns,
  list,
}: {
  name: string
  columns: Column<Row>[]
  list: Rows<Row>
}) {
  const [count, setCount] = useState<number>()
  const download = async () => {
    setCount(0)
    try {
      const { isCut } = await downloadCsv(name, columns, list, setCount)
      if (isCut) toast(`The file has the first ${MOST_ROWS.toLocaleString('en')} rows.`)
    } catch (error) {
      toast(`The file could not be made: ${wordsOf(error)}`, { tone: 'bad' })
    } finally {
      setCount(undefined)
    }
  }
  return (
    <Button
      kind="quiet"
      size="small"
      onClick={download}
      isBusy={count !== undefined}
      disabled={!list.rows?.length}
    >
      <Download size={14} aria-hidden="true" />
      {count === undefined ? 'CSV' : `${count.toLocaleString('en')} rows`}
    </Button>
  )
}
