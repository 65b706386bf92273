/** What the template said before, compared, looked at and published again. */
import type { Template, TemplateVersion } from '@carillon/contract'
import { useQueryClient } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Card } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Chip } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useRows } from '../../ui/use-rows.ts'
import type { Draft } from './use-draft.ts'
import type { Payload } from './use-payload.ts'
import { VersionView } from './version-view.tsx'

interface VersionsTabProps {
  template: Template
  draft: Draft
  payload: Payload
}

export function VersionsTab({ template, draft, payload }: VersionsTabProps) {
  const { name, channel, locale } = template
  const key = { name, channel, locale }
  const list = useRows<TemplateVersion>(
    ['templates', 'versions', name, channel, locale],
    (position, options) => api.templates.versions(key, position, options),
  )
  const [chosen, setChosen] = useState<number>()
  const [restored, setRestored] = useState<number>()
  const queryClient = useQueryClient()
  const mayWrite = useMay('templates:write')
  if (list.error && list.rows === undefined) return <Problem error={list.error} onRetry={list.retry} />
  if (list.rows?.length === 0)
    return (
      <Card>
        <Empty
          icon={History}
          title="It was never published"
          text="Every time you publish, the text is kept as a version that you can return to."
        />
      </Card>
    )
  const rows = list.rows ?? []
  const shown = rows.find(({ version }) => version === chosen) ?? rows[0]
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[20rem_minmax(0,1fr)]">
      <Card isFlush title="Versions">
        <ul>
          {rows.map(row => (
            <li key={row.id} className="border-b border-border last:border-0">
              <button
                type="button"
                aria-pressed={row === shown}
                onClick={() => setChosen(row.version)}
                className={classes(
                  'flex w-full flex-col gap-0.5 px-4 py-2 text-left',
                  row === shown ? 'bg-accent-soft' : 'hover:bg-hover',
                )}
              >
                <span className="flex items-center gap-2">
                  <b className="font-medium whitespace-nowrap">Version {row.version}</b>
                  {row.is_current && <Chip tone="ok">current</Chip>}
                  <Time value={row.published_at} className="ml-auto text-sm text-muted" />
                </span>
                <span className="cut text-sm text-muted">{sayVersion(row)}</span>
              </button>
            </li>
          ))}
        </ul>
        {list.hasMore && (
          <div className="flex justify-center border-t border-border p-2">
            <Button kind="quiet" isBusy={list.isLoadingMore} onClick={list.loadMore}>
              Load more
            </Button>
          </div>
        )}
      </Card>
      {shown && (
        <VersionView
          key={shown.version}
          template={template}
          version={shown}
          versions={rows}
          draft={draft}
          payload={payload.value ?? {}}
          action={
            !shown.is_current && (
              <Button
                size="small"
                onClick={() => setRestored(shown.version)}
                refusal={!mayWrite && 'You need templates:write: ask an owner.'}
              >
                Roll back to it
              </Button>
            )
          }
        />
      )}
      <Confirm
        title={`Publish version ${restored} of ${name} again?`}
        action="Roll back"
        isDangerous={false}
        isOpen={restored !== undefined}
        onClose={() => setRestored(undefined)}
        onConfirm={async () => {
          const { version } = await api.templates.rollBack(key, { version: restored! })
          await queryClient.invalidateQueries({ queryKey: ['templates'] })
          setChosen(version)
          toast(`The text of version ${restored} is published as version ${version}.`)
        }}
      >
        New notifications get its text again, under the next number. Your draft stays as it is.
      </Confirm>
    </div>
  )
}

function sayVersion({ restored_from, published_by, parts }: TemplateVersion): string {
  return [
    restored_from !== null && `the text of version ${restored_from} again`,
    published_by && `by ${published_by}`,
    parts.length > 0 && `with ${parts.map(part => part.replace(':', ' ')).join(', ')}`,
  ]
    .filter(Boolean)
    .join(' · ')
}
