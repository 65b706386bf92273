/** What one seldom does with a template. */
import type { Template } from '@carillon/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { useState } from 'react'
import { api, wordsOf } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Menu } from '../../ui/menu.tsx'
import { toast } from '../../ui/toasts.tsx'
import { NewTemplate } from './new-template.tsx'
import type { Draft } from './use-draft.ts'

export function MoreMenu({ template, draft }: { template: Template; draft: Draft }) {
  const { name, channel, locale, is_active } = template
  const mayWrite = useMay('templates:write')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [open, setOpen] = useState<'copy' | 'off' | 'delete'>()
  const key = { name, channel, locale }
  const close = () => setOpen(undefined)
  const turn = async (isOn: boolean) => {
    await api.templates.update(key, { is_active: isOn })
    await queryClient.invalidateQueries({ queryKey: ['templates'] })
    toast(isOn ? 'Switched on.' : 'Switched off.', {
      undo: () => void turn(!isOn).catch(error => toast(wordsOf(error), { tone: 'bad' })),
    })
  }
  return (
    <>
      <Menu
        trigger={
          <Button size="icon" aria-label="More">
            <Ellipsis size={16} />
          </Button>
        }
        items={[
          { label: 'Copy to another language', disabled: !mayWrite, onSelect: () => setOpen('copy') },
          { label: 'Discard changes', disabled: !draft.isChanged, onSelect: draft.revert },
          {
            label: 'Type of this name',
            onSelect: () => void navigate({ to: `/types/${encodeURIComponent(name)}` }),
          },
          {
            label: 'What was sent',
            onSelect: () => void navigate({ to: '/activity', search: { notification_type: name } as never }),
          },
          false,
          is_active
            ? { label: 'Switch off', disabled: !mayWrite, isDangerous: true, onSelect: () => setOpen('off') }
            : {
                label: 'Switch on',
                disabled: !mayWrite,
                onSelect: () => void turn(true).catch(error => toast(wordsOf(error), { tone: 'bad' })),
              },
          { label: 'Delete', disabled: !mayWrite, isDangerous: true, onSelect: () => setOpen('delete') },
        ]}
      />
      {open === 'copy' && <NewTemplate source={{ ...key, content: draft.content }} onClose={close} />}
      <Confirm
        title={`Switch off ${name} for ${channel} in ${locale}?`}
        action="Switch off"
        isOpen={open === 'off'}
        onClose={close}
        onConfirm={() => turn(false)}
      >
        Every message that would use it becomes a dead letter at once, which can be replayed when it is
        switched on again. Intents that name it use the template of their type instead.
      </Confirm>
      <Confirm
        title={`Delete ${name} for ${channel} in ${locale}?`}
        action="Delete"
        isOpen={open === 'delete'}
        onClose={close}
        onConfirm={async () => {
          await api.templates.delete(key)
          draft.revert()
          toast(`${name} for ${channel} in ${locale} is deleted.`)
          await navigate({ to: '/templates', ignoreBlocker: true })
          await queryClient.invalidateQueries({ queryKey: ['templates'] })
        }}
      >
        The draft and all its versions go. New notifications do without it; what was accepted with it still
        goes out.
      </Confirm>
    </>
  )
}
