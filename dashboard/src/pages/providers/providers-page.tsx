/** Who delivers what: the providers of each channel, in the order in which they are tried. */
import type { Provider } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { Plug, Plus } from 'lucide-react'
import { api } from '../../app/api.ts'
import { LIVE } from '../../app/queries.ts'
import { useMay } from '../../app/session.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { CsvButton } from '../../ui/csv-button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { onePage, rowsOf, useRows } from '../../ui/use-rows.ts'
import { providerColumns } from './provider-columns.tsx'
import { byPriority, CHANNEL_NAMES, PROVIDER_CHANNELS } from './provider-words.ts'
import { useKinds } from './use-providers.ts'

export default function ProvidersPage() {
  const mayWrite = useMay('providers:write')
  const list = useRows<Provider>(
    ['providers', 'list'],
    async (_position, options) => onePage(await api.providers.list(options)),
    LIVE,
  )
  const kinds = useKinds()
  const overview = useQuery({
    queryKey: ['overview'],
    queryFn: ({ signal }) => api.metrics.overview({ signal }),
    enabled: useMay('metrics:read'),
    ...LIVE,
  })
  const columns = providerColumns(kinds.data, overview.data?.providers, mayWrite)
  const channels = PROVIDER_CHANNELS.filter(channel => list.rows?.some(each => each.channel === channel))
  const missing = PROVIDER_CHANNELS.filter(channel => !channels.includes(channel))
  return (
    <Page
      title="Providers"
      lead="Your accounts at the services that deliver messages. The first of a channel gets its messages; when it fails or is paused after errors, the next one does."
      actions={
        <>
          <CsvButton name="providers" columns={columns} list={list} />
          {mayWrite && (
            <LinkButton to="/providers/new" kind="primary">
              <Plus size={14} aria-hidden="true" />
              Add a provider
            </LinkButton>
          )}
        </>
      }
    >
      {list.rows === undefined || list.rows.length === 0 ? (
        <Card isFlush>
          <DataTable
            label="Providers"
            list={list}
            columns={columns}
            idOf={({ id }) => id}
            empty={<NoProviders mayWrite={mayWrite} />}
          />
        </Card>
      ) : (
        <>
          {channels.map(channel => (
            <Card key={channel} title={CHANNEL_NAMES[channel]} isFlush>
              <DataTable
                label={`Providers for ${CHANNEL_NAMES[channel]}`}
                list={rowsOf(list.rows!.filter(each => each.channel === channel).toSorted(byPriority))}
                columns={columns}
                idOf={({ id }) => id}
                linkOf={({ id }) => `/providers/${id}`}
                empty={null}
              />
            </Card>
          ))}
          {missing.length > 0 && (
            <p className="text-muted">
              No provider yet for {missing.map(channel => CHANNEL_NAMES[channel]).join(', ')}.
            </p>
          )}
        </>
      )}
    </Page>
  )
}

function NoProviders({ mayWrite }: { mayWrite: boolean }) {
  return (
    <Empty
      icon={Plug}
      title="No provider is set up"
      text="Without one, nothing leaves this machine: messages are captured, and you can read what would have been sent. Add your account at an email, SMS, push or chat service to send them for real."
      action={mayWrite && <LinkButton to="/providers/new">Add a provider</LinkButton>}
    />
  )
}
