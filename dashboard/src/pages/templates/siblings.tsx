/** The other channels and languages of the same name. */
import type { Template } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../../app/api.ts'
import { CHANNEL_NAMES } from '../../ui/channel.tsx'
import { classes } from '../../ui/classes.ts'
import { sayLocale } from '../../ui/locale-input.tsx'
import { templatePath } from './content.ts'

export function Siblings({ template }: { template: Template }) {
  const { name, channel, locale } = template
  const { data } = useQuery({
    queryKey: ['templates', 'named', name],
    queryFn: ({ signal }) => api.templates.list({ name, limit: 100 }, { signal }),
  })
  const members = data?.data ?? [template]
  const channels = [...new Set(members.map(member => member.channel))]
  return (
    <nav aria-label={`Channels and languages of ${name}`} className="-mt-1 flex flex-wrap gap-x-5 gap-y-2">
      {channels.map(each => (
        <span key={each} className="inline-flex flex-wrap items-center gap-1">
          <span className="mr-1 text-muted">{CHANNEL_NAMES[each]}</span>
          {members
            .filter(member => member.channel === each)
            .map(member => {
              const isThis = each === channel && member.locale === locale
              return (
                <Link
                  key={member.locale}
                  to={templatePath(name, each, member.locale)}
                  title={sayLocale(member.locale)}
                  aria-current={isThis ? 'page' : undefined}
                  className={classes(
                    'inline-flex h-6 items-center rounded-full border px-2 text-sm',
                    isThis
                      ? 'border-accent bg-accent-soft font-medium text-accent'
                      : 'border-border hover:bg-hover',
                  )}
                >
                  {member.locale}
                </Link>
              )
            })}
        </span>
      ))}
    </nav>
  )
}
