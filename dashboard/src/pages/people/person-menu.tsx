/** What one can do with a person beyond editing. */
import type { PreferenceLink, User } from '@carillon/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { useState } from 'react'
import { api, wordsOf } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Command } from '../../ui/copy.tsx'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { Menu } from '../../ui/menu.tsx'
import { OutsideLink } from '../../ui/text-link.tsx'
import { ShortTime } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { nameOf } from './name.ts'

export function PersonMenu({ user }: { user: User }) {
  const { id } = user
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [link, setLink] = useState<PreferenceLink>()
  const [question, setQuestion] = useState<'tokens' | 'delete'>()
  const mayLink = useMay('preferences:write')
  const mayEnd = useMay('user_tokens:write')
  const mayDelete = useMay('users:write')
  const createLink = async () => {
    try {
      setLink(await api.preferences.createLink(id))
    } catch (error) {
      toast(wordsOf(error), { tone: 'bad' })
    }
  }
  const close = () => setQuestion(undefined)
  return (
    <>
      <Menu
        trigger={
          <Button aria-label="More" className="px-2">
            <Ellipsis size={16} aria-hidden="true" />
          </Button>
        }
        items={[
          { label: 'Link to the preference page', disabled: !mayLink, onSelect: () => void createLink() },
          { label: 'End all tokens', disabled: !mayEnd, onSelect: () => setQuestion('tokens') },
          false,
          {
            label: 'Delete the person',
            isDangerous: true,
            disabled: !mayDelete,
            onSelect: () => setQuestion('delete'),
          },
        ]}
      />
      <Dialog title="Preference page" isOpen={link !== undefined} onClose={() => setLink(undefined)}>
        {link && (
          <div className="flex flex-col gap-3">
            <p>
              Whoever has this link can change what {nameOf(user)} gets. It works until{' '}
              <ShortTime value={link.expires_at} />.
            </p>
            <Command text={link.url} />
            <OutsideLink url={link.url}>Open it</OutsideLink>
          </div>
        )}
      </Dialog>
      <Confirm
        title={`End all tokens of ${nameOf(user)}?`}
        action="End them"
        isOpen={question === 'tokens'}
        onClose={close}
        onConfirm={async () => {
          await api.userTokens.revoke(id)
          toast('All tokens of the person have ended.')
        }}
      >
        Every browser that shows this person’s inbox is signed out until your application gives it a new
        token.
      </Confirm>
      <Confirm
        title={`Delete ${nameOf(user)}?`}
        action="Delete"
        typed={id}
        isOpen={question === 'delete'}
        onClose={close}
        onConfirm={async () => {
          await api.users.delete(id)
          toast(`${nameOf(user)} was deleted.`)
          await navigate({ to: '/people' })
          void queryClient.invalidateQueries({ queryKey: ['people'] })
        }}
      >
        This removes the person with everything: preferences, devices, inbox, subscriptions and what waits to
        be sent. It cannot be undone.
      </Confirm>
    </>
  )
}
