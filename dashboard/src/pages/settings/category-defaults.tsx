/** Per category and channel: whether it is sent. */
import type { Channel } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../app/api.ts'
import { CHANNEL_NAMES, CHANNELS } from '../../ui/channel.tsx'
import { Card } from '../../ui/page.tsx'

type Toggles = Record<string, Partial<Record<Channel, boolean>>>

interface CategoryDefaultsProps {
  value: Toggles
  onChange(value: Toggles): void
  isReadOnly: boolean
}

export function CategoryDefaults({ value, onChange, isReadOnly }: CategoryDefaultsProps) {
  const categories = useQuery({
    queryKey: ['categories'],
    queryFn: ({ signal }) => api.categories.list({ signal }),
  })
  const types = useQuery({
    queryKey: ['notification-types'],
    queryFn: ({ signal }) => api.notificationTypes.list({ signal }),
  })
  const required = new Set(
    categories.data?.data.filter(each => each.required).map(({ category }) => category),
  )
  const names = [
    ...new Set([
      ...(categories.data?.data.map(({ category }) => category) ?? []),
      ...(types.data?.data.map(({ category }) => category) ?? []),
      ...Object.keys(value),
    ]),
  ].filter(Boolean)
  const toggle = (category: string, channel: Channel, isOn: boolean) => {
    const { [channel]: _before, ...others } = value[category] ?? {}
    const next = isOn ? others : { ...others, [channel]: false }
    const { [category]: _all, ...rest } = value
    onChange(Object.keys(next).length === 0 ? rest : { ...rest, [category]: next })
  }
  return (
    <Card title="Categories" isFlush>
      {names.length === 0 ? (
        <p className="p-4 text-muted">No type has a category yet.</p>
      ) : (
        <div className="overflow-x-auto">
          <table aria-label="Categories by channel" className="w-full min-w-[34rem] text-left">
            <thead>
              <tr className="border-b border-border">
                <th scope="col" className="h-9 px-4 text-sm font-medium text-muted">
                  Category
                </th>
                {CHANNELS.map(channel => (
                  <th
                    key={channel}
                    scope="col"
                    className="h-9 px-2 text-center text-sm font-medium text-muted"
                  >
                    {CHANNEL_NAMES[channel]}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {names.map(category => (
                <tr key={category} className="h-[2.375rem] border-b border-border last:border-0">
                  <td className="px-4">
                    {category}
                    {required.has(category) && <span className="text-muted"> · always sent</span>}
                  </td>
                  {CHANNELS.map(channel => (
                    <td key={channel} className="px-2 text-center">
                      <input
                        type="checkbox"
                        aria-label={`${category} on ${channel}`}
                        className="size-4 align-middle accent-accent disabled:opacity-50"
                        disabled={isReadOnly || required.has(category)}
                        checked={required.has(category) || value[category]?.[channel] !== false}
                        onChange={event => toggle(category, channel, event.target.checked)}
                      />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  )
}
