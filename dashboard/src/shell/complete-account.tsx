/** After a link: an email and a password, so that the next time needs no link. */
import type { Session } from '@carillon/contract'
import { type FormEvent, useState } from 'react'
import { api } from '../app/api.ts'
import { Button } from '../ui/button.tsx'
import { Field, Input } from '../ui/field.tsx'
import { Notice } from '../ui/problem.tsx'
import { useSave } from '../ui/use-save.ts'
import { Entrance } from './entrance.tsx'

export function CompleteAccount({
  session,
  onDone,
  onLater,
}: {
  session: Session
  onDone(): void
  onLater(): void
}) {
  const isFirst = session.account?.email === ''
  const [email, setEmail] = useState(session.account?.email ?? '')
  const [name, setName] = useState(session.account?.name ?? '')
  const [password, setPassword] = useState('')
  const saving = useSave(
    () => api.account.update({ email, password, ...(name.trim() && { name: name.trim() }) }),
    ['email', 'name', 'password'],
  )
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (await saving.save(undefined)) onDone()
  }
  return (
    <Entrance
      title={isFirst ? 'Welcome' : 'Choose a password'}
      lead={
        isFirst
          ? `You are the first owner of ${session.tenant.name}. Choose how you sign in from now on.`
          : 'You came by a link, which works only once.'
      }
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        {saving.problem && <Notice tone="bad">{saving.problem}</Notice>}
        <Field label="Email" error={saving.errorOf('email')}>
          <Input
            type="email"
            autoComplete="username"
            required
            autoFocus
            value={email}
            onChange={event => setEmail(event.target.value)}
          />
        </Field>
        <Field label="Name" isOptional error={saving.errorOf('name')}>
          <Input autoComplete="name" value={name} onChange={event => setName(event.target.value)} />
        </Field>
        <Field label="Password" error={saving.errorOf('password')} help="At least 12 characters.">
          <Input
            type="password"
            autoComplete="new-password"
            required
            minLength={12}
            value={password}
            onChange={event => setPassword(event.target.value)}
          />
        </Field>
        <Button type="submit" kind="primary" isBusy={saving.isBusy}>
          Save
        </Button>
        <Button kind="quiet" onClick={onLater}>
          Later
        </Button>
      </form>
    </Entrance>
  )
}
