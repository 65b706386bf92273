import type { Overview, Provider, ProviderKindInfo } from '@carillon/contract'
import type { Column } from '../../ui/data-table.tsx'
import { Switch } from '../../ui/field.tsx'
import { Chip } from '../../ui/status.tsx'
import { ProviderStatus } from './provider-status.tsx'
import { BREAKERS, sayRate } from './provider-words.ts'
import { kindTitle, switchProvider } from './use-providers.ts'

export function providerColumns(
  kinds: ProviderKindInfo[] | undefined,
  recent: Overview['providers'] | undefined,
  mayWrite: boolean,
): Column<Provider>[] {
  const recentOf = ({ name, channel }: Provider) =>
    recent?.find(each => each.provider === name && each.channel === channel)
  return [
    {
      title: 'Name',
      csv: ({ name }) => name,
      cell: provider => (
        <span className="flex min-w-0 items-center gap-2">
          <span className="cut font-medium" title={provider.name}>
            {provider.name}
          </span>
          {provider.source === 'environment' && <Chip>from the environment</Chip>}
        </span>
      ),
    },
    {
      title: 'Service',
      from: 'md',
      width: 'w-44',
      csv: ({ kind }) => kind,
      cell: ({ kind }) => <span className="text-muted">{kindTitle(kinds, kind)}</span>,
    },
    {
      title: 'State',
      width: 'w-36 md:w-44',
      csv: ({ is_active, breaker }) => (is_active ? BREAKERS[breaker.state] : 'Switched off'),
      cell: provider => <ProviderStatus provider={provider} />,
    },
    {
      title: 'Last hour',
      from: 'lg',
      width: 'w-40',
      isNumber: true,
      cell: provider => {
        const { sent = 0, failed = 0 } = recentOf(provider) ?? {}
        return (
          <>
            {sent.toLocaleString('en')} sent
            {failed > 0 && <span className="text-bad">, {failed.toLocaleString('en')} failed</span>}
          </>
        )
      },
    },
    {
      title: 'Rate limit',
      from: 'lg',
      width: 'w-32',
      isNumber: true,
      csv: ({ rate_limit }) => rate_limit,
      cell: ({ rate_limit }) => <span className="text-muted">{sayRate(rate_limit)}</span>,
    },
    {
      title: 'Priority',
      from: 'md',
      width: 'w-24',
      isNumber: true,
      csv: ({ priority }) => priority,
      cell: ({ priority }) => priority,
    },
    {
      title: 'On',
      width: 'w-16',
      csv: ({ is_active }) => is_active,
      cell: provider => (
        <Switch
          label={`${provider.name} is switched on`}
          isOn={provider.is_active}
          disabled={!mayWrite || provider.source === 'environment'}
          onChange={isOn => void switchProvider(provider, isOn)}
        />
      ),
    },
  ]
}
