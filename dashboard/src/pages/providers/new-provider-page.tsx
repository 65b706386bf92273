/** First the service, then its form. */
import type { ProviderKindInfo } from '@carillon/contract'
import { Link, useNavigate } from '@tanstack/react-router'
import { useMay } from '../../app/session.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { Card, Page } from '../../ui/page.tsx'
import { Notice, Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { NewProviderForm } from './new-provider-form.tsx'
import { CHANNEL_NAMES, PROVIDER_CHANNELS } from './provider-words.ts'
import { useKinds } from './use-providers.ts'

export default function NewProviderPage() {
  const kinds = useKinds()
  const { values } = useFilters(['kind', 'channel'])
  const navigate = useNavigate()
  const mayWrite = useMay('providers:write')
  const kind = kinds.data?.find(({ name }) => name === values.kind)
  const channel = kind?.channels.find(each => each === values.channel) ?? kind?.channels[0]
  return (
    <Page
      title={kind ? `Add ${kind.title}` : 'Add a provider'}
      lead={kind ? undefined : 'Choose the service where you have an account.'}
      actions={kind && <LinkButton to="/providers/new">Another service</LinkButton>}
    >
      {!mayWrite && <Notice tone="warn">You need providers:write to add one: ask an owner.</Notice>}
      {kinds.error ? (
        <Card>
          <Problem error={kinds.error} onRetry={() => void kinds.refetch()} />
        </Card>
      ) : kinds.data === undefined ? (
        <Skeleton className="h-64 w-full" />
      ) : kind && channel ? (
        <NewProviderForm
          key={`${kind.name} ${channel}`}
          kind={kind}
          channel={channel}
          onChannel={chosen =>
            void navigate({ to: '/providers/new', search: { kind: kind.name, channel: chosen } as never })
          }
        />
      ) : (
        <Kinds kinds={kinds.data} />
      )}
    </Page>
  )
}

const KIND = 'flex min-h-14 flex-col justify-center rounded-card border border-border px-3 py-2'

function Kinds({ kinds }: { kinds: ProviderKindInfo[] }) {
  const isOperator = useMay('instance')
  return PROVIDER_CHANNELS.map(channel => (
    <section key={channel} className="flex flex-col gap-2">
      <h2 className="text-lg">{CHANNEL_NAMES[channel]}</h2>
      <div className="grid gap-2 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4">
        {kinds
          .filter(({ channels }) => channels.includes(channel))
          .map(({ name, title, reports_back, operator_only }) =>
            operator_only && !isOperator ? (
              <div key={name} className={KIND}>
                <span className="font-medium text-muted">{title}</span>
                <span className="text-sm text-muted">Only the operator of this Carillon can add it</span>
              </div>
            ) : (
              <Link
                key={name}
                to="/providers/new"
                search={{ kind: name, channel } as never}
                className={classes(KIND, 'bg-surface hover:border-control hover:bg-hover')}
              >
                <span className="font-medium">{title}</span>
                <span className="text-sm text-muted">
                  {reports_back ? 'Reports deliveries and bounces' : 'No delivery reports'}
                </span>
              </Link>
            ),
          )}
      </div>
    </section>
  ))
}
