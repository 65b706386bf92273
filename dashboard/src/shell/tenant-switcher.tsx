import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ChevronsUpDown } from 'lucide-react'
import { api, chooseTenant, wordsOf } from '../app/api.ts'
import { useSession } from '../app/session.tsx'
import { classes } from '../ui/classes.ts'
import { Menu } from '../ui/menu.tsx'
import { toast } from '../ui/toasts.tsx'

export function TenantSwitcher({ isWide = false }: { isWide?: boolean }) {
  const { tenant, tenants } = useSession()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const words = isWide ? '' : 'max-xl:sr-only'
  const change = async (id: string) => {
    try {
      await api.session.update({ tenant_id: id })
      chooseTenant(id)
      await navigate({ to: '/' })
      // Nothing of the other tenant may stay on the screen.
      await queryClient.resetQueries()
    } catch (error) {
      toast(wordsOf(error), { tone: 'bad' })
    }
  }
  const face = (
    <>
      <span
        aria-hidden="true"
        className="grid size-5 shrink-0 place-items-center rounded-[4px] bg-accent text-xs font-semibold text-accent-text"
      >
        {(tenant.name.at(0) ?? '?').toUpperCase()}
      </span>
      <span className={classes('cut min-w-0 flex-1 text-left font-semibold', words)}>{tenant.name}</span>
    </>
  )
  const look = 'flex h-9 w-full items-center gap-2 rounded-control px-2.5'
  if (tenants.length < 2) return <div className={look}>{face}</div>
  return (
    <Menu
      align="start"
      header="Tenants"
      trigger={
        <button
          type="button"
          aria-label={`Tenant ${tenant.name}; choose another`}
          className={`${look} hover:bg-hover`}
        >
          {face}
          <ChevronsUpDown
            size={14}
            aria-hidden="true"
            className={classes('shrink-0 text-muted', !isWide && 'max-xl:hidden')}
          />
        </button>
      }
      items={tenants.map(({ id, name }) => ({
        label: name,
        isChosen: id === tenant.id,
        onSelect: () => void change(id),
      }))}
    />
  )
}
