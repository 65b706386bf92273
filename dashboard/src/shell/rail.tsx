/** The pages at the left: with words where there is room, as pictures on a small laptop, in a sheet on a phone. */
import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { PAGES, type Page, RAIL_GROUPS } from '../app/pages.ts'
import { useSession } from '../app/session.tsx'
import { classes } from '../ui/classes.ts'
import { Dialog } from '../ui/dialog.tsx'
import { AccountMenu } from './account-menu.tsx'
import { TenantSwitcher } from './tenant-switcher.tsx'
import { useBadges } from './use-badges.ts'

export function Rail() {
  return (
    <aside
      aria-label="Tenant, pages and account"
      className="sticky top-0 flex h-dvh w-14 shrink-0 flex-col border-r border-border bg-surface max-md:hidden xl:w-[13.75rem]"
    >
      <div className="p-2">
        <TenantSwitcher />
      </div>
      <RailLinks isNarrow />
      <div className="border-t border-border p-2">
        <AccountMenu />
      </div>
    </aside>
  )
}

export function RailSheet({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  return (
    <Dialog title="Carillon" isOpen={isOpen} onClose={onClose} isSheet>
      <div className="-m-2 flex flex-col gap-2">
        <TenantSwitcher isWide />
        <RailLinks onFollow={onClose} />
        <AccountMenu isWide />
      </div>
    </Dialog>
  )
}

export function useRailPages(): Page[] {
  const { scopes } = useSession()
  return PAGES.filter(
    ({ rail, scope }) => rail && (scope === undefined || scopes.includes('admin') || scopes.includes(scope)),
  )
}

function RailLinks({ isNarrow = false, onFollow }: { isNarrow?: boolean; onFollow?: () => void }) {
  const pages = useRailPages()
  const badges = useBadges()
  return (
    <nav aria-label="Pages" className="flex min-h-0 flex-1 flex-col gap-px overflow-y-auto px-2 pb-2">
      {RAIL_GROUPS.map((group, i) => (
        <Fragment key={group}>
          {i > 0 && <hr className="mx-2 my-2 border-border" />}
          {pages
            .filter(({ rail }) => rail!.group === group)
            .map(({ path, title, rail }) => {
              const Icon = rail!.icon
              const count = rail!.badge === undefined ? 0 : badges[rail!.badge]
              return (
                <Link
                  key={path}
                  to={path}
                  title={title}
                  {...(onFollow && { onClick: onFollow })}
                  activeOptions={{ exact: path === '/', includeSearch: false }}
                  activeProps={{ className: 'bg-accent-soft text-accent font-medium' }}
                  inactiveProps={{ className: 'text-text hover:bg-hover' }}
                  className="relative flex h-8 shrink-0 items-center gap-2.5 rounded-control px-2.5"
                >
                  <Icon size={16} strokeWidth={1.75} aria-hidden="true" className="shrink-0" />
                  <span className={classes('cut flex-1', isNarrow && 'max-xl:sr-only')}>{title}</span>
                  {count > 0 && (
                    <span
                      className={classes(
                        'rounded-full bg-bad-soft px-1.5 text-xs font-medium text-bad tabular',
                        isNarrow && 'max-xl:absolute max-xl:top-0 max-xl:right-0 max-xl:px-1',
                      )}
                    >
                      {count > 99 ? '99+' : count}
                      <span className="sr-only"> open</span>
                    </span>
                  )}
                </Link>
              )
            })}
        </Fragment>
      ))}
    </nav>
  )
}
