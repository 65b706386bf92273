/** One template: its text and how it looks beside it, and what it said before. */
import type { Channel } from '@carillon/contract'
import type { TemplateKey } from '@carillon/sdk'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { api, isProblem } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { PageSkeleton } from '../../ui/skeleton.tsx'
import { NewTemplate } from './new-template.tsx'
import { TemplateEditor } from './template-editor.tsx'

export default function TemplatePage() {
  const { name = '', channel = '', locale = '' } = useParams({ strict: false })
  const key: TemplateKey = { name, channel: channel as Channel, locale }
  const may = useMay('templates:write')
  const [isNew, setNew] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: ['templates', 'one', name, channel, locale],
    queryFn: ({ signal }) => api.templates.get(key, { signal }),
  })
  if (data) return <TemplateEditor key={`${name}/${channel}/${locale}`} template={data} />
  if (!error) return <PageSkeleton />
  return (
    <Page title={name}>
      <Card>
        <Problem error={error} onRetry={() => void refetch()} />
        {may && isProblem(error, 404) && (
          <div className="flex justify-center pb-8">
            <Button kind="primary" onClick={() => setNew(true)}>
              Write it
            </Button>
          </div>
        )}
      </Card>
      {isNew && <NewTemplate name={name} onClose={() => setNew(false)} />}
    </Page>
  )
}
