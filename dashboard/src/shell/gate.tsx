/** Lets in who is signed in; shows everybody else how to. */
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { chooseTenant, isProblem, whenSignedOut } from '../app/api.ts'
import { SESSION_KEY, SessionProvider, useSessionQuery } from '../app/session.tsx'
import { Problem } from '../ui/problem.tsx'
import { AcceptInvitation } from './accept-invitation.tsx'
import { CompleteAccount } from './complete-account.tsx'
import { type Fragment, takeFragment } from './fragment.ts'
import { FollowLink, SignIn } from './sign-in.tsx'

/** Asked again with the next tab, but not with every reload. */
const LATER = 'carillon-password-later'

export function Gate({ children }: { children: ReactNode }) {
  // Read once and removed from the address, so that it is neither bookmarked nor seen over a shoulder.
  const [fragment, setFragment] = useState<Fragment>(takeFragment)
  const [isLater, setLater] = useState(() => sessionStorage.getItem(LATER) !== null)
  const queryClient = useQueryClient()
  const { data: session, error, refetch, isFetching } = useSessionQuery()

  useEffect(() => {
    whenSignedOut(() => void queryClient.resetQueries({ queryKey: SESSION_KEY }))
  }, [queryClient])

  const putOff = () => {
    sessionStorage.setItem(LATER, 'yes')
    setLater(true)
  }
  const enter = () => {
    chooseTenant(undefined)
    setFragment({})
    queryClient.clear()
    void refetch()
  }
  if (fragment.link !== undefined) return <FollowLink link={fragment.link} onDone={enter} />
  if (fragment.invitation !== undefined)
    return <AcceptInvitation token={fragment.invitation} onDone={enter} onLeave={() => setFragment({})} />
  // A server that does not answer for a while takes nobody's page away, nor what they have typed on it.
  if (session !== undefined && !isProblem(error, 401)) {
    if (session.needs_password && !isLater)
      return <CompleteAccount session={session} onDone={enter} onLater={putOff} />
    // Another tenant is another dashboard: nothing of the one before stays on the screen.
    return (
      <SessionProvider key={session.tenant.id} session={session}>
        {children}
      </SessionProvider>
    )
  }
  if (error === null || (isFetching && !isProblem(error, 401))) return null
  if (isProblem(error, 401)) return <SignIn onDone={enter} />
  return <Problem error={error} onRetry={() => void refetch()} />
}
