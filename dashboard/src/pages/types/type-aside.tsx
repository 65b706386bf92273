/** What belongs to a type: its texts, and when it was made. */
import type { NotificationType } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { CHANNEL_NAMES } from '../../ui/channel.tsx'
import { Card, Facts } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { templatePath } from '../templates/content.ts'
import { sayState } from '../templates/groups.ts'
import { NewTemplate } from '../templates/new-template.tsx'

export function TypeAside({ type }: { type: NotificationType }) {
  const [isNew, setNew] = useState(false)
  const mayWrite = useMay('templates:write')
  return (
    <>
      <Card
        title="Templates"
        actions={
          mayWrite && (
            <Button kind="quiet" size="small" onClick={() => setNew(true)}>
              Write one
            </Button>
          )
        }
      >
        <Templates type={type} />
      </Card>
      <Card title="Facts">
        <Facts
          facts={[
            ['Created', <Time key="created" value={type.created_at} />],
            ['Changed', <Time key="updated" value={type.updated_at} />],
            [
              'Sent',
              <Link
                key="sent"
                to="/activity"
                search={{ notification_type: type.name } as never}
                className="text-accent hover:underline"
              >
                Recent activity
              </Link>,
            ],
            [
              'Changes',
              <Link
                key="audit"
                to="/audit-log"
                search={{ resource_type: 'notification_type', resource_id: type.name } as never}
                className="text-accent hover:underline"
              >
                Audit log
              </Link>,
            ],
          ]}
        />
      </Card>
      {isNew && <NewTemplate name={type.name} onClose={() => setNew(false)} />}
    </>
  )
}

function Templates({ type }: { type: NotificationType }) {
  const names = [...new Set([type.name, ...Object.values(type.templates)])]
  const { data, error } = useQuery({
    queryKey: ['templates', 'of-type', ...names],
    queryFn: async ({ signal }) => {
      const pages = await Promise.all(names.map(name => api.templates.list({ name, limit: 100 }, { signal })))
      return pages.flatMap(page => page.data)
    },
  })
  if (error) return <p className="text-muted">You may not see templates.</p>
  if (data === undefined) return <Skeleton className="h-4 w-40" />
  const used = data.filter(({ name, channel }) => (type.templates[channel] ?? type.name) === name)
  if (used.length === 0)
    return (
      <p className="text-muted">There are none: plain messages are made from the texts in the payload.</p>
    )
  return (
    <ul className="flex flex-col gap-2">
      {used.map(template => (
        <li
          key={`${template.name} ${template.channel} ${template.locale}`}
          className="flex items-center justify-between gap-2"
        >
          <Link
            to={templatePath(template.name, template.channel, template.locale)}
            className="cut text-accent hover:underline"
          >
            {template.name === type.name ? '' : `${template.name} · `}
            {CHANNEL_NAMES[template.channel]} · {template.locale}
          </Link>
          <Status {...sayState({ members: [template] })} />
        </li>
      ))}
    </ul>
  )
}
