/** A name alone leads to one of its texts: the mail in English, or whatever comes first. */
import { useQuery } from '@tanstack/react-query'
import { Navigate, useParams } from '@tanstack/react-router'
import { Mails } from 'lucide-react'
import { api } from '../../app/api.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { PageSkeleton } from '../../ui/skeleton.tsx'
import { templatePath } from './content.ts'

export default function TemplateNamePage() {
  const { name = '' } = useParams({ strict: false })
  const { data, error, refetch } = useQuery({
    queryKey: ['templates', 'named', name],
    queryFn: ({ signal }) => api.templates.list({ name, limit: 100 }, { signal }),
  })
  if (error) return <Problem error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <PageSkeleton />
  const first =
    data.data.find(({ channel, locale }) => channel === 'email' && locale === 'en') ?? data.data[0]
  if (first) return <Navigate to={templatePath(first.name, first.channel, first.locale)} replace />
  return (
    <Page title={name}>
      <Card>
        <Empty
          icon={Mails}
          title={`There is no template called ${name}`}
          text="It may have been deleted."
          action={<LinkButton to="/templates">All templates</LinkButton>}
        />
      </Card>
    </Page>
  )
}
