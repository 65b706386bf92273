import type { KeyRole } from '@carillon/contract'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../../app/api.ts'
import { useSession } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Command } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { Notice } from '../../ui/problem.tsx'
import { useSave } from '../../ui/use-save.ts'
import { ROLES, rolesUpTo } from './roles.ts'

export function InviteDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const { role: ownRole } = useSession()
  const queryClient = useQueryClient()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<KeyRole>('operator')
  const [url, setUrl] = useState<string>()
  const saving = useSave(async () => {
    setUrl((await api.invitations.create({ email, role })).url)
    await queryClient.invalidateQueries({ queryKey: ['invitations'] })
  }, ['email', 'role'])
  const close = () => {
    setEmail('')
    setUrl(undefined)
    saving.clear()
    onClose()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void saving.save(undefined)
  }
  if (url !== undefined)
    return (
      <Dialog
        title={`Invitation for ${email}`}
        isOpen={isOpen}
        onClose={close}
        footer={<Button onClick={close}>Done</Button>}
      >
        <div className="flex flex-col gap-3">
          <p>Send them this link. It works once, for a week, and is shown only now.</p>
          <Command text={url} />
        </div>
      </Dialog>
    )
  return (
    <Dialog title="Invite somebody" isOpen={isOpen} onClose={close}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        {saving.problem && <Notice tone="bad">{saving.problem}</Notice>}
        <Field label="Email" error={saving.errorOf('email')}>
          <Input
            type="email"
            required
            autoFocus
            value={email}
            onChange={event => setEmail(event.target.value)}
          />
        </Field>
        <Field label="Role" error={saving.errorOf('role')} help={ROLES[role]}>
          <Select value={role} onChange={event => setRole(event.target.value as KeyRole)}>
            {rolesUpTo(ownRole).map(each => (
              <option key={each}>{each}</option>
            ))}
          </Select>
        </Field>
        <div className="flex justify-end gap-2">
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={saving.isBusy}>
            Create the link
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
