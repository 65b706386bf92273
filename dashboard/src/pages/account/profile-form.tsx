import type { Account } from '@carillon/contract'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../../app/api.ts'
import { SESSION_KEY, useSession } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'
import { Notice } from '../../ui/problem.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useSave } from '../../ui/use-save.ts'

export function ProfileForm({ account }: { account: Account }) {
  const queryClient = useQueryClient()
  const { needs_password: isNew } = useSession()
  const [name, setName] = useState(account.name)
  const [email, setEmail] = useState(account.email)
  const [password, setPassword] = useState('')
  const hasNewEmail = email.trim().toLowerCase() !== account.email
  const saving = useSave(async () => {
    await api.account.update({
      ...(name.trim() !== account.name && { name: name.trim() }),
      ...(hasNewEmail && { email }),
      ...(hasNewEmail && !isNew && { current_password: password }),
    })
    await queryClient.invalidateQueries({ queryKey: SESSION_KEY })
  }, ['name', 'email', 'current_password'])
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!(await saving.save(undefined))) return
    setPassword('')
    toast('Your profile was saved.')
  }
  return (
    <Card title="Profile">
      <form onSubmit={submit} className="flex flex-col gap-4">
        {saving.problem && <Notice tone="bad">{saving.problem}</Notice>}
        <Field
          label="Name"
          error={saving.errorOf('name')}
          help="Stands beside what you do, in the audit log too."
        >
          <Input autoComplete="name" value={name} onChange={event => setName(event.target.value)} />
        </Field>
        <Field label="Email" error={saving.errorOf('email')}>
          <Input
            type="email"
            autoComplete="username"
            required
            value={email}
            onChange={event => setEmail(event.target.value)}
          />
        </Field>
        {hasNewEmail && !isNew && (
          <Field label="Your password" error={saving.errorOf('current_password')}>
            <Input
              type="password"
              autoComplete="current-password"
              required
              value={password}
              onChange={event => setPassword(event.target.value)}
            />
          </Field>
        )}
        <div>
          <Button
            type="submit"
            kind="primary"
            isBusy={saving.isBusy}
            disabled={!hasNewEmail && name.trim() === account.name}
          >
            Save
          </Button>
        </div>
      </form>
    </Card>
  )
}
