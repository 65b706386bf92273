/** Who is signed in, to which tenant, and what they may do. */
import type { Scope, Session } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext } from 'react'
import { api, chooseTenant, isProblem } from './api.ts'

const SessionContext = createContext<Session | undefined>(undefined)

export const SESSION_KEY = ['session']

/** null: nobody is signed in. */
export function useSessionQuery() {
  return useQuery({
    queryKey: SESSION_KEY,
    queryFn: async ({ signal }) => {
      const session = await api.session.get({ signal }).catch(error => {
        if (!isProblem(error, 403)) throw error
        // One may have left the tenant of this tab, or signed in as somebody else in another.
        chooseTenant(undefined)
        return api.session.get({ signal })
      })
      // A key has one tenant only.
      chooseTenant(session.account ? session.tenant.id : undefined)
      return session
    },
    staleTime: 60_000,
    retry: false,
  })
}

export function SessionProvider({ session, children }: { session: Session; children: ReactNode }) {
  return <SessionContext value={session}>{children}</SessionContext>
}

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === undefined) throw new Error('There is no session here.')
  return session
}

/** Whether the visitor may do something. What they may not, the page shows switched off, with the reason. */
export function useMay(scope: Scope): boolean {
  const { scopes } = useSession()
  // admin covers one tenant, and instance all of them.
  return scopes.includes(scope) || (scope !== 'instance' && scopes.includes('admin'))
}
