import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, wordsOf } from '../app/api.ts'
import { Button } from '../ui/button.tsx'
import { Field, Input } from '../ui/field.tsx'
import { Notice } from '../ui/problem.tsx'
import { useSave } from '../ui/use-save.ts'
import { Entrance } from './entrance.tsx'

interface AcceptInvitationProps {
  token: string
  onDone(): void
  onLeave(): void
}

export function AcceptInvitation({ token, onDone, onLeave }: AcceptInvitationProps) {
  const { data: invitation, error } = useQuery({
    queryKey: ['invitation'],
    queryFn: ({ signal }) => api.invitations.read({ token }, { signal }),
  })
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const saving = useSave(
    () => api.invitations.accept({ token, password, ...(name.trim() && { name: name.trim() }) }),
    ['name', 'password'],
  )
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (await saving.save(undefined)) onDone()
  }
  if (error)
    return (
      <Entrance title="This invitation does not work" lead={wordsOf(error)}>
        <Button onClick={onLeave}>Sign in</Button>
      </Entrance>
    )
  if (invitation === undefined) return null
  return (
    <Entrance
      title={`Join ${invitation.tenant.name}`}
      lead={`You are invited as ${invitation.role}, with ${invitation.email}.`}
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        {saving.problem && <Notice tone="bad">{saving.problem}</Notice>}
        <input type="hidden" autoComplete="username" value={invitation.email} readOnly />
        {!invitation.has_account && (
          <Field label="Name" isOptional error={saving.errorOf('name')}>
            <Input
              autoComplete="name"
              autoFocus
              value={name}
              onChange={event => setName(event.target.value)}
            />
          </Field>
        )}
        <Field
          label="Password"
          error={saving.errorOf('password')}
          help={invitation.has_account ? 'The one of your account.' : 'At least 12 characters.'}
        >
          <Input
            type="password"
            autoComplete={invitation.has_account ? 'current-password' : 'new-password'}
            required
            value={password}
            onChange={event => setPassword(event.target.value)}
          />
        </Field>
        <Button type="submit" kind="primary" isBusy={saving.isBusy}>
          Join
        </Button>
      </form>
    </Entrance>
  )
}
