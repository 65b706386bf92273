import { useNavigate } from '@tanstack/react-router'
import { api, wordsOf } from '../app/api.ts'
import { useSession } from '../app/session.tsx'
import { setTheme, THEMES, useTheme } from '../app/theme.ts'
import { classes } from '../ui/classes.ts'
import { Menu } from '../ui/menu.tsx'
import { toast } from '../ui/toasts.tsx'

const THEME_NAMES = { auto: 'Theme of the system', light: 'Light', dark: 'Dark' } as const

export function AccountMenu({ isWide = false }: { isWide?: boolean }) {
  const { account, api_key, role } = useSession()
  const navigate = useNavigate()
  const theme = useTheme()
  const name = account?.name || account?.email || api_key?.name || 'You'
  const signOut = async () => {
    try {
      await api.session.delete()
      // Nothing of what was on the screen stays in memory.
      location.assign('/dashboard/')
    } catch (error) {
      toast(wordsOf(error), { tone: 'bad' })
    }
  }
  return (
    <Menu
      align="start"
      header={
        <>
          {account ? account.email : 'Signed in with an API key'}
          {role && ` · ${role}`}
        </>
      }
      trigger={
        <button
          type="button"
          aria-label={`Account of ${name}`}
          className="flex h-9 w-full items-center gap-2 rounded-control px-2.5 hover:bg-hover"
        >
          <span
            aria-hidden="true"
            className="grid size-5 shrink-0 place-items-center rounded-full bg-idle-soft text-xs font-semibold text-idle"
          >
            {(name.at(0) ?? '?').toUpperCase()}
          </span>
          <span className={classes('cut min-w-0 flex-1 text-left', !isWide && 'max-xl:sr-only')}>{name}</span>
        </button>
      }
      items={[
        ...(account
          ? [{ label: 'Your account', onSelect: () => void navigate({ to: '/account' }) }, false as const]
          : []),
        ...THEMES.map(each => ({
          label: THEME_NAMES[each],
          isChosen: each === theme,
          onSelect: () => setTheme(each),
        })),
        false,
        { label: 'Documentation of the API', onSelect: () => void open('/docs', '_blank') },
        { label: 'Sign out', onSelect: () => void signOut() },
      ]}
    />
  )
}
