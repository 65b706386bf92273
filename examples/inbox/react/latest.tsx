import { useInbox } from '@carillon/inbox/react'

/** An inbox that draws itself: what is there, and a button that is done with it. */
export function Latest({ url }: { url: string }) {
  const { inbox, state } = useInbox({ url, refreshToken })
  return (
    <section aria-label="Latest">
      <h2>{state.unread} unread</h2>
      <ul>
        {state.items.map(({ id, title }) => (
          <li key={id}>
            {title}{' '}
            <button type="button" onClick={() => inbox.act([id], 'done')}>
              Done
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** What the element does with `tokenUrl`. A thrown TypeError, as of fetch(), means: try again later. */
async function refreshToken(): Promise<string> {
  const response = await fetch('/carillon-token', { method: 'POST' })
  if (!response.ok) throw new Error(`no token: ${response.status}`)
  const { token } = await response.json()
  return token
}
