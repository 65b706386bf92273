/** All rows that match as a file, written by the API while it reads them. */
import type { AuditLogFilter } from '@carillon/contract'
import { Download } from 'lucide-react'
import { useRef, useState } from 'react'
import { api, wordsOf } from '../../app/api.ts'
import { Button } from '../../ui/button.tsx'
import { Menu } from '../../ui/menu.tsx'
import { toast } from '../../ui/toasts.tsx'

type Format = 'csv' | 'ndjson'

const sayBytes = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`

export function ExportMenu({ filter }: { filter: AuditLogFilter }) {
  const [bytes, setBytes] = useState<number>()
  const running = useRef<AbortController>(null)
  const run = async (format: Format) => {
    const controller = new AbortController()
    running.current = controller
    setBytes(0)
    try {
      const parts: Blob[] = []
      let size = 0
      for await (const text of api.auditLogs.export({ ...filter, format }, { signal: controller.signal })) {
        const part = new Blob([text])
        parts.push(part)
        size += part.size
        setBytes(size)
      }
      save(
        new Blob(parts, { type: format === 'csv' ? 'text/csv' : 'application/x-ndjson' }),
        `audit-log.${format}`,
      )
    } catch (error) {
      if (!controller.signal.aborted) toast(`The file could not be made: ${wordsOf(error)}`, { tone: 'bad' })
    } finally {
      setBytes(undefined)
    }
  }
  if (bytes !== undefined)
    return (
      <Button kind="quiet" size="small" onClick={() => running.current?.abort()}>
        {sayBytes(bytes)} · Cancel
      </Button>
    )
  return (
    <Menu
      header="Everything that matches"
      trigger={
        <Button kind="quiet" size="small">
          <Download size={14} aria-hidden="true" />
          Export
        </Button>
      }
      items={[
        { label: 'CSV, for a spreadsheet', onSelect: () => void run('csv') },
        { label: 'NDJSON, with all values', onSelect: () => void run('ndjson') },
      ]}
    />
  )
}

function save(file: Blob, name: string): void {
  const url = URL.createObjectURL(file)
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  URL.revokeObjectURL(url)
}
